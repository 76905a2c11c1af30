"""How rows look: styles by meaning, icons, few colours, marks and masks laid over rows."""
