"""The logs of Gemini CLI and of Qwen Code, which began as a copy of it."""
