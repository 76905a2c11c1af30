from agentview.providers.claude.shared.context_windows import context_window


def test_windows_of_models():
    assert context_window("claude-opus-5-5") == 1_000_000
    assert context_window("claude-sonnet-4-5-20250929") == 200_000
    assert context_window("claude-3-5-haiku-20241022") == 200_000
    assert context_window("claude-sonnet-5[1m]") == 1_000_000
    assert context_window("opus[500K]") == 500_000
    assert context_window("claude-opus-9") is None
    assert context_window("") is None
