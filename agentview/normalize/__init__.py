"""Provider-free rules: arguments to typed payloads, names to kinds, texts to errors."""
