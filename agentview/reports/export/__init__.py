"""Sessions in forms for other programs, one module a form."""
