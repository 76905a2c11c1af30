"""Secrets are found by their form, their name or their place; what only looks random is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.timeline.secrets import MASK, find_secrets, is_secret_name, masked, masked_bytes

_LETTERS = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fR"
"""Nobody's: told apart from real ones by their order."""


def _made(prefix: str, length: int) -> str:
    return prefix + (_LETTERS * 8)[:length]


SECRETS = {
    "AWS": ("AKIA" + "ABCDEFGH23456789", "ABCDEFGH23456789"),
    "GitHub": (_made("ghp_", 36), _made("", 36)),
    "GitHub fine": (_made("github_pat_", 60), _made("", 60)),
    "GitLab": (_made("glpat-", 20), _made("", 20)),
    "Slack": (_made("xoxb-", 24), _made("", 24)),
    "webhook": (
        "https://hooks.slack.com/services/T0000/B0000/" + _LETTERS,
        "T0000/B0000/" + _LETTERS,
    ),
    "model": (_made("sk-ant-api03-", 40), _made("api03-", 40)),
    "project": (_made("sk-proj-", 40), _made("proj-", 40)),
    "Google": (_made("AIza", 35), _made("", 35)),
    "Stripe": (_made("sk_live_", 24), _made("", 24)),
    "Hugging Face": (_made("hf_", 34), _made("", 34)),
    "npm": (_made("npm_", 36), _made("", 36)),
    "PyPI": (_made("pypi-AgEI", 60), _made("AgEI", 60)),
    "Telegram": (f"12345678:AA{_made('', 33)}", _made("AA", 33)),
    "web token": (
        "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
        "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
    ),
    "address": ("postgres://ana:hunter2@db.example:5432/shop", "hunter2"),
    "address with @": ("redis://:p4ss@cache", "p4ss"),
    "header": ("Authorization: Bearer abcdef123456789", "abcdef123456789"),
    "basic": ('"authorization": "Basic YW5hOmh1bnRlcjI="', "YW5hOmh1bnRlcjI="),
    "cookie": ("Cookie: session=abcdef; theme=dark", "session=abcdef; theme=dark"),
    "variable": ("DB_PASSWORD=correcthorse", "correcthorse"),
    "exported": ("export OPENSEARCH_API_KEY='correct-horse'", "correct-horse"),
    "JSON": ('{"password": "correct"}', "correct"),
    "JSON in JSON": ('{\\"apiKey\\": \\"correct\\"}', "correct"),
    "YAML": ("  client_secret: c0rrect-horse", "c0rrect-horse"),
    "assignment": ("password = 'correct'", "correct"),
    "option": ("mysql --user ana --password c0rrect", "c0rrect"),
    "option with =": ("vault login --token=c0rrect", "c0rrect"),
    "home": ("/home/ana/shop/a.py", "ana"),
    "home of a Mac": ("/Users/ana/shop/a.py", "ana"),
    "home of Windows": ("C:\\Users\\ana\\shop", "ana"),
}

_TO_THE_END = ("cookie", "variable", "option", "option with =")
"""What ends with a space or the line: a bracket or comma may be a part of it."""


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("around", ["%s", "it says %s\n", '"%s"', "a\nb %s c", "(%s)", "x=1,%s,y"])
def test_secrets_are_masked_and_nothing_else(name: str, around: str) -> None:
    written, secret = SECRETS[name]
    if name in _TO_THE_END and around[-1] in ",)yc":
        around = "> %s\n"
    text = around % written
    expected = text.replace(secret, "".join(" " if char == " " else MASK for char in secret))
    assert masked(text) == expected
    assert len(masked(text)) == len(text)


HARMLESS = [
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "index 3f78685..89e6c98 100644",
    "550e8400-e29b-41d4-a716-446655440000",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAA+/AAAB" * 40,
    "max_tokens: 4096",
    '"input_tokens": 120345, "output_tokens": 81',
    "total tokens = 1,234,567",
    "token: str",
    "def login(user: str, password: str) -> Token:",
    'password = os.environ["DB_PASSWORD"]',
    "token = get_token(user)",
    "api_key=settings.api_key",
    "if token == expected:",
    "PASSWORD=$(pass show db)",
    "TOKEN=${{ secrets.TOKEN }}",
    "task-runner-with-a-long-name-2024-11",
    "https://example.org/a/b?c=d#e",
    "git@github.com:ana/shop.git",
    "ssh://git@example.org:22/shop.git",
    "12:34:56 author: Ana",
    "the secret of good tea: 4 minutes",
    "author=ana123456",
    "monkey: banana123",
    "msg_01ABCDEFGHJKMNPQRSTVWXYZ",
    "toolu_01ABCDEFGHJKMNPQRSTVWXYZ",
    "/usr/share/home/x",
    "PWD=/work/shop",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked(text) == text


def test_a_key_over_several_lines_keeps_its_lines() -> None:
    text = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabcd\n-----END RSA PRIVATE KEY-----\nnext"
    assert masked(text).split("\n") == [
        "-----BEGIN RSA PRIVATE KEY-----",
        "****",
        "****",
        "-----END RSA PRIVATE KEY-----",
        "next",
    ]
    cut = masked("-----BEGIN PRIVATE KEY-----\nMIIE\nab")
    assert cut == "-----BEGIN PRIVATE KEY-----\n****\n**"


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("password", True),
        ("DB_PASSWORD", True),
        ("apiKey", True),
        ("x-api-key", True),
        ("accessToken", True),
        ("max_tokens", False),
        ("token_count", False),
        ("key", False),
        ("path", False),
    ],
)
def test_names_tell_what_is_secret(name: str, secret: bool) -> None:
    assert is_secret_name(name) is secret


def test_secrets_are_told_with_their_rule_and_do_not_overlap() -> None:
    text = "TOKEN=" + _made("ghp_", 36) + " and " + _made("AIza", 35)
    found = find_secrets(text)
    assert [text[secret.start : secret.end] for secret in found] == [
        _made("ghp_", 36),
        _made("", 35),
    ]
    assert found[1].name == "Google key"


@given(st.text(max_size=200) | st.sampled_from([name for name, _ in SECRETS.values()]))
def test_a_mask_keeps_length_and_needs_no_second_one(text: str) -> None:
    once = masked(text)
    assert len(once) == len(text)
    assert masked(once) == once


@given(st.binary(max_size=200))
def test_bytes_keep_their_places(data: bytes) -> None:
    assert len(masked_bytes(data + b" DB_PASSWORD=secret1")) == len(data) + 20
