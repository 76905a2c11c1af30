"""Nothing that is secret is left in a value, and everything else is."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given

from agentview.drift.schema_inference import fits, shape_of
from agentview.drift.truncate import MAX_CHARS, MAX_ITEMS, cut, cut_text
from agentview.redaction.names import is_secret_name
from agentview.redaction.redactor import EMAIL, MARK, Redactor
from tests.drift.test_schema_inference import VALUES
from tests.redaction.planted import ENCODED, PASSWORD, STATED, VENDORS, WAYS, wrapped


def _redacted(value: object) -> str:
    return json.dumps(Redactor().value(value), ensure_ascii=False)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("whose", VENDORS)
def test_a_token_of_a_vendor_is_taken_out(whose: str, way: str) -> None:
    text, core = VENDORS[whose]
    assert core not in _redacted(WAYS[way](text))
    for line in text.split("\n")[1:-1]:
        assert line not in _redacted(WAYS[way](text))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("form", STATED)
def test_what_is_said_to_be_secret_is_taken_out(form: str, way: str) -> None:
    found = _redacted(WAYS[way](STATED[form]))
    assert PASSWORD not in found
    assert ENCODED not in found


@pytest.mark.parametrize("whose", [name for name in VENDORS if "\n" not in VENDORS[name][0]])
def test_a_token_that_a_line_break_divides_is_taken_out(whose: str) -> None:
    text, _ = VENDORS[whose]
    if "://" in text or "." in text:
        return
    halves = wrapped(text).split("\n")[:2]
    found = _redacted(wrapped(text))
    assert halves[1] not in found


def test_a_token_of_which_a_part_has_another_colour_is_taken_out() -> None:
    for text, core in (VENDORS["Anthropic"], VENDORS["GitHub"]):
        found = _redacted(f"{text[:9]}\x1b[01;31m\x1b[K{text[9:20]}\x1b[m\x1b[K{text[20:]}")
        assert core[12:] not in found


def test_names_that_only_look_secret_stay() -> None:
    for text in (
        "--- PASS: TestWithSession (0.00s)",
        "3 pass, 2 fail",
        "compass: north",
        "pass: 12",
    ):
        assert _redacted(text) == json.dumps(text)


def test_a_token_in_two_items_of_a_list_is_taken_out() -> None:
    text, _ = VENDORS["Anthropic"]
    assert text[30:] not in _redacted([text[:30], text[30:]])
    key, core = VENDORS["key file"]
    assert core not in _redacted(key.split("\n"))
    assert PASSWORD not in _redacted(["deploy", "--password", PASSWORD])
    assert PASSWORD not in _redacted(["curl", "-u", f"ana:{PASSWORD}"])


@pytest.mark.parametrize(
    "value",
    [
        {"password": PASSWORD},
        {"env": {"DB_PASSWORD": PASSWORD}},
        {"headers": {"Authorization": PASSWORD, "X-Api-Key": PASSWORD}},
        {"env": [{"name": "API_TOKEN", "value": PASSWORD}]},
        {"Key": "client_secret", "Value": PASSWORD},
        {"credentials": {"user": "ana", "values": [PASSWORD]}},
        {"cookies": [PASSWORD]},
        {"connectionString": PASSWORD},
        {"SecretString": PASSWORD},
        {"name": "sid", "value": PASSWORD, "domain": ".host"},
        {"username": "ana", "key": PASSWORD},
        {"kind": "Secret", "data": {"foo": PASSWORD}},
    ],
)
def test_the_value_of_a_secret_key_is_taken_out_and_its_structure_stays(value: object) -> None:
    assert PASSWORD not in _redacted(value)
    assert shape_of(Redactor().value(value)) == shape_of(value)


def test_ids_hashes_and_data_stay() -> None:
    call = "toolu_01CvibPcYwuCRk9ZWVsN2AfQ"
    value = {
        "tool_use_id": call,
        "call_id": "call_Qx05TtLm9vB4Kd83Hs\nfc_06D10zW5aA9cQe71Lm",
        "content": [f"<tool-use-id>{call}</tool-use-id> is done"],
        "commit": "9fceb02d0ae598e95dc970b74767f19372d61af8",
        "log": "9fceb02 Merge branch 'main'\nsha256:" + "9f86d081884c7d65" * 4,
        "lock": "integrity sha512-" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fR" * 2 + "==",
        "uuid": "01A1FB6E-F721-71B1-9F35-8D8327A8E99A",
        "code": "OAuth2AccessTokenResponseHttpMessageConverter test_retry_2_Backoff_V3_Config",
        "path": "src/main/java/com/example/Shop2/RetryPolicyV2Factory/BackoffTest.java",
        "image": "data:image/png;base64," + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fR" * 4,
        "usage": "<total_tokens>3510</total_tokens>",
    }
    assert Redactor().value(value) == value


def test_a_home_whose_name_is_a_word_tells_of_nobody() -> None:
    assert Redactor(home=Path("/root")).text("/root/tester in /rootfs") == "/root/tester in /rootfs"
    text = Redactor(home=Path("/data/zoe")).text("/data/zoe/x /data/zoe2")
    assert text == "/home/user/x /data/zoe2"


def test_numbers_behind_secret_names_are_taken_out_and_counts_of_tokens_stay() -> None:
    assert Redactor().value({"password": 31337}) == {"password": 0}
    counts: dict[str, object] = {"tokens": {"input": 120_000}, "max_tokens": 4096, "token": 17}
    assert Redactor().value(counts) == counts


def test_names_of_users_and_addresses_are_taken_out() -> None:
    redactor = Redactor(home=Path("/data/people/zoe"), names=["zoe"])
    found = redactor.value(
        {
            "cwd": "/home/marla/shop/src",
            "windows": "C:\\Users\\marla\\shop",
            "folder": "-Users-marla-shop",
            "listing": "-rw-r--r-- 1 marla staff 12 a.py",
            "author": "Marla <marla.k@corp.example>",
            "own": "/data/people/zoe/notes and zoe",
            "other": "marlaine",
        }
    )
    assert found == {
        "cwd": "/home/user/shop/src",
        "windows": "C:\\Users\\user\\shop",
        "folder": "-Users-user-shop",
        "listing": "-rw-r--r-- 1 user staff 12 a.py",
        "author": f"Marla <{EMAIL}>",
        "own": "/home/user/notes and user",
        "other": "marlaine",
    }


def test_a_name_that_is_a_word_of_a_format_does_not_change_the_format() -> None:
    record: dict[str, object] = {"type": "assistant", "protocol": "codex", "sessionId": "s-1"}
    found = Redactor().value({**record, "paths": ["/home/codex/a", "/Users/assistant/b"]})
    assert found == {**record, "paths": ["/home/user/a", "/Users/user/b"]}


def test_a_name_with_a_hyphen_is_taken_out_whole() -> None:
    assert Redactor().value("/Users/marla-guest/a /home/x.y-z") == "/Users/user/a /home/user"


def test_a_name_that_is_a_word_is_replaced_in_paths_alone() -> None:
    assert Redactor().value("/home/dev/a > /dev/null") == "/home/user/a > /dev/null"


@pytest.mark.parametrize(
    "text",
    [
        "The token count is 512 tokens, max_tokens=4096.",
        "git clone git@github.com:someone/shop.git",
        "def read(path: str) -> bytes:\n    return path.read_bytes()\n",
        "commit 3fa85f6457174562b3fc2c963f66afa61b2c3d4e",
        "5755424c-1dd3-485a-8ab3-106dad8b104b",
        "https://example.org/a/b?page=2#part",
        '{"command": "ls -la", "timeout": 1000}',
        "src/auth/tokens.py:12: class TokenReader:",
        "",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert Redactor().value(text) == text


@pytest.mark.slow
@given(VALUES)
def test_the_shape_of_a_value_stays(value: object) -> None:
    assert shape_of(cut(Redactor().value(value))) == shape_of(value)


@pytest.mark.parametrize("form", STATED)
def test_taking_out_twice_changes_nothing(form: str) -> None:
    once = Redactor().value({"text": STATED[form]})
    assert Redactor().value(once) == once
    assert form in ("base64", "base64 of JSON") or MARK in json.dumps(once)


def test_secret_names() -> None:
    assert is_secret_name("DB_PASSWORD")
    assert is_secret_name("apiKey")
    assert is_secret_name("token")
    assert not is_secret_name("token", number=True)
    assert not is_secret_name("max_tokens_seen")
    assert not is_secret_name("author")


def test_a_long_text_is_cut_at_the_end_of_a_line_and_says_so() -> None:
    text = "a line of text\n" * 500
    found = cut_text(text)
    assert len(found) < MAX_CHARS + 60
    assert found.startswith("a line of text\n")
    assert found.endswith(" more characters)")
    assert "\n…" in found
    assert cut_text(found) == found


def test_json_in_a_text_stays_json() -> None:
    found = cut_text(json.dumps({"command": "x" * 5000, "n": 1}))
    parsed = json.loads(found)
    assert parsed["n"] == 1
    assert len(parsed["command"]) < 2000


def test_a_long_list_keeps_what_is_of_another_structure() -> None:
    items = [*range(100), {"type": "image"}, *range(50), None]
    found = cut({"items": items})
    assert found == {"items": [*range(MAX_ITEMS), {"type": "image"}, None]}
    assert fits(shape_of({"items": items}), found)


def test_nothing_too_deep_or_too_long_stops_it() -> None:
    value: object = PASSWORD
    for _ in range(2000):
        value = {"password": [value]}
    assert PASSWORD not in _redacted(value)
    assert len(_redacted("x" * 1_000_000)) < 300_000


@pytest.mark.parametrize(
    "piece",
    [
        "-", "--x", "x-", "\\", '\\"', 'password="', "password=", "A_", "://a:", "a@", "a@b.", " ",
        "\n", "abcdefgh12345678\n", "bearer ", " -u a", "mysql ", "cookie:", "/home/", "[", "eyJ",
        "-----BEGIN PRIVATE KEY-----", "$6$", "\nexport A=", "a:1:", "QUJDQUJDQUJDQUJDQUJDQUJD ",
    ],
)  # fmt: skip
def test_no_text_takes_long(piece: str) -> None:
    text = piece * (60_000 // len(piece))
    began = time.process_time()
    Redactor().text(text)
    assert time.process_time() - began < 5
