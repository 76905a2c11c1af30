"""How the shapes of records change from version to version: for those who maintain providers."""
