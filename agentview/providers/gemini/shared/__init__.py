"""What Gemini CLI and the clients that grew out of it write alike: contents, calls, results."""
