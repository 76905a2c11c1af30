"""Secrets are found by their form, their name or their place; what only looks random is none."""

from base64 import b64encode
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.domain.tool_results import Hunk, Match, MatchResult
from agentview.redaction.names import is_secret_name
from agentview.redaction.secrets import MASK, find_secrets, masked, masked_bytes
from agentview.redaction.values import masked_value

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
        "services/T0000/B0000/" + _LETTERS,
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
    "exported": ("export OPENSEARCH_API_KEY='correct-horse'", "'correct-horse'"),
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

_TO_THE_END = frozenset(
    {"cookie", "variable", "exported", "option", "option with =", "YAML", "webhook", "header"}
    | {"basic"}
)
"""What ends with a space or the line: a bracket or comma may be a part of it."""


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("around", ["%s", "it says %s\n", '"%s"', "a\nb %s c", "(%s)", "x=1,%s,y"])
def test_secrets_are_masked_and_nothing_else(name: str, around: str) -> None:
    written, secret = SECRETS[name]
    if name in _TO_THE_END and around[-1] in '",)yc':
        around = "> %s\n"
    text = around % written
    expected = text.replace(secret, "".join(" " if char == " " else MASK for char in secret))
    assert masked(text) == expected
    assert len(masked(text)) == len(text)


# How secrets are written in commands, files, sentences and structures; `{}` is the secret.
_PLANTED = "q7RtY2mK9xWb"
WRITTEN = r"""
curl -u ana:{} https://host.example/a
curl --user ana:{} https://host.example
mysql -u root -p{} shop
sshpass -p '{}' ssh ana@host
machine host.example login ana password {}
db.example:5432:shop:ana:{}
*:*:*:ana:{}
ana:$apr1$salt1234$aB3dE6{}
ana:$y$j9T$abc$aB3dE6gH9jK2{}:19000::::::
ana:{{SSHA}}aB3dE6gH9jK2{}
https://host.example/hook?token={}
https://oauth2:{}@host.example/a.git
password: correct horse {}
the password is {}
psk="{}"
<password>{}</password>
<apiKey><![CDATA[{}]]></apiKey>
<add key="ApiKey" value="{}"/>
{{"token":["{}"]}}
{{"name":"TOKEN","value":"{}"}}
{{"value":"{}","name":"API_TOKEN"}}
{{"secret":{{"value":"{}"}}}}
- name: DB_PASSWORD\n  value: {}
npm config set //host/:_authToken {}
//host/:_authToken={}
echo {} | docker login -u ana --password-stdin
chpasswd <<< ana:{}
useradd -p {} ana
ssh-keygen -N {} -f key
net use z: \\\\host\\share /user:ana {}
redis-cli -a {}
openssl enc -k {}
7z x -p{} a.7z
kubectl create secret generic a --from-literal=k={}
ALTER USER ana WITH PASSWORD '{}'
os.environ['API_KEY'] = '{}'
(setq password "{}")
define('DB_PASSWORD', '{}');
Server=host;User Id=ana;Password={};
jdbc:mysql://host/db?user=ana&password={}
Proxy-Authorization: token {}
""".strip().splitlines()


@pytest.mark.parametrize("form", WRITTEN)
def test_secrets_are_masked_wherever_they_are_written(form: str) -> None:
    text = form.encode().decode("unicode_escape").format(_PLANTED)
    assert _PLANTED[2:8] in text
    assert _PLANTED[2:8] not in masked(text)
    assert len(masked(text)) == len(text)


def test_tokens_are_masked_across_lines_and_colours_and_in_base64() -> None:
    token = _made("ghp_", 36)
    assert token[20:] not in masked(f"{token[:20]}\n{token[20:]}")
    assert token[20:] not in masked(f"\x1b[31m{token[:12]}\x1b[0m{token[12:]}")
    for hidden in (token, f"password={_PLANTED} and more"):
        encoded = b64encode(hidden.encode()).decode()
        assert encoded not in masked(f"data: {encoded}")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"password": 123456}, {"password": "******"}),
        ({"token": ["abcdef", None]}, {"token": ["******", None]}),
        ({"name": "TOKEN", "value": "abcdef"}, {"name": "TOKEN", "value": "******"}),
        ({"total_tokens": 123456, "ok": True}, {"total_tokens": 123456, "ok": True}),
        ({"secret": {"a": "abcdef", "b": 7}}, {"secret": {"a": "******", "b": "******"}}),
    ],
)
def test_structures_say_what_is_secret(value: object, shown: object) -> None:
    assert masked_value(value) == shown


def test_each_mask_is_noted_by_its_rule() -> None:
    rules: list[str] = []
    value = {
        "text": f"export A_TOKEN={_PLANTED}\n{_made('ghp_', 36)}",
        "password": 123456,
        _made("glpat-", 20): 1,
    }
    hidden = masked_value(value, rules.append)
    assert sorted(rules) == sorted(
        ["named value", "token: ghp_", "value of a secret key", "token: glpat-"]
    )
    assert hidden == masked_value(value)
    assert _made("", 20) not in str(hidden)
    assert list(hidden)[:2] == ["text", "password"]


def test_keys_that_are_masked_stay_as_many() -> None:
    value = {_made("ghp_", 36): 1, _made("ghp_", 35) + "z": 2}
    assert sorted(masked_value(value).values()) == [1, 2]


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
    "token = await client.get_token(user)",
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
    "git checkout -b feature",
    "curl -b cookies.txt https://example.org",
    "base64 -b==",
    "test -b /dev/sda",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("curl --cookie=sid=abcdef https://example.org/a", "sid=abcdef"),
        ("curl --cookie='sid=abcdef; t=dark' https://example.org/a", "sid=abcdef; t=dark"),
        ('sh -c "curl --cookie=\\"a=b c\\" https://example.org/a"', "a=b c"),
        ("tool --x-api-key=abcdef12 --verbose", "abcdef12"),
        ("tool --authorization='Bearer abcdef12' --verbose", "abcdef12"),
        ("tool --authorization=Basic abcdef12 --verbose", "abcdef12"),
    ],
)
def test_an_option_named_as_a_header_is_masked_up_to_its_end(text: str, secret: str) -> None:
    shown = "".join(" " if char == " " else MASK for char in secret)
    assert masked(text) == text.replace(secret, shown)


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
        ("max_bananas", False),
        ("token_count", False),
        ("key", False),
        ("path", False),
    ],
)
def test_names_tell_what_is_secret(name: str, secret: bool) -> None:
    assert is_secret_name(name) is secret


def test_secrets_are_in_order_and_do_not_overlap() -> None:
    text = "TOKEN=" + _made("ghp_", 36) + " and " + _made("AIza", 35)
    found = [text[start:end] for start, end in find_secrets(text)]
    assert "".join(found).count(_made("", 35)) == 2
    spans = find_secrets(text)
    assert spans == sorted(spans)
    assert all(one[1] < other[0] for one, other in pairwise(spans))


@given(st.text(max_size=200) | st.sampled_from([name for name, _ in SECRETS.values()]))
def test_a_mask_keeps_length_and_needs_no_second_one(text: str) -> None:
    once = masked(text)
    assert len(once) == len(text)
    assert masked(once) == once


@given(st.binary(max_size=200))
def test_bytes_keep_their_places(data: bytes) -> None:
    assert len(masked_bytes(data + b" DB_PASSWORD=secret1")) == len(data) + 20


_KEY = ["-----BEGIN PRIVATE KEY-----", *["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"] * 3]
_END = "-----END PRIVATE KEY-----"


@pytest.mark.parametrize("sign", ["+", "-", " "])
def test_a_key_in_the_lines_of_a_diff_is_masked(sign: str) -> None:
    lines = [" # keys", *(sign + line for line in (*_KEY, _END)), "\\ No newline at end of file"]
    rules: list[str] = []
    hunk = masked_value(Hunk(1, 1, 1, 6, tuple(lines)), rules.append)
    hidden = f"{sign}{MASK * len(_KEY[1])}"
    assert hunk.lines == (lines[0], lines[1], hidden, hidden, hidden, lines[5], lines[6])
    assert rules
    assert masked_value({"lines": lines})["lines"] == list(hunk.lines)


def test_a_key_in_the_lines_that_a_search_found_is_masked() -> None:
    found = MatchResult(tuple(Match("k.pem", at, text) for at, text in enumerate((*_KEY, _END), 1)))
    texts = [match.text for match in masked_value(found).matches]
    assert texts == [_KEY[0], *[MASK * len(_KEY[1])] * 3, _END]


def test_a_password_in_words_is_masked_behind_its_sign_in_another_case() -> None:
    text = "the tests pass now\nPassword: correct horse battery staple\n"
    assert "Password: ******* ***** ******* ******\n" in masked(text)


@pytest.mark.parametrize(
    "lines", [["a", "b"], ["+a", "-b", "\\ No newline"], ["", ""], [], ["a", 1], ["+x = 1", " y"]]
)
def test_a_list_without_secrets_is_the_same_object(lines: list[object]) -> None:
    assert masked_value(lines) is lines
