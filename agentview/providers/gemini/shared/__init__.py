"""Common parts of Gemini CLI and the clients that grew out of it: contents, calls, results."""
