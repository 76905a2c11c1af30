"""Tokens of vendors are masked whatever is around them, and nothing that only looks like one is."""

import base64
import json
import random
import re
import time
from collections.abc import Callable, Iterator

import pytest

from agentview.redaction import secrets, shapes, tokens
from agentview.redaction.forms import SearchedRules
from agentview.redaction.secrets import find_secrets, find_tokens, masked, masked_bytes, masked_part
from tests.architecture.sources import ROOT
from tests.redaction.made_tokens import CONTEXTS, leaked, made_tokens
from tests.redaction.planted import STATED, VENDORS
from tests.redaction.recall import missed
from tests.redaction.test_secrets import WRITTEN

_TOKENS = made_tokens()
_ENCODED = ("xxd", "hexdump -C", "base64", "base64, wrapped")


def test_there_are_many_shapes_and_each_is_of_one_vendor() -> None:
    assert len({shape for shape, _ in _TOKENS}) == len(_TOKENS) >= 200
    signs = [sign for sign, _ in shapes.followed()]
    assert len(signs) == len(set(signs))


@pytest.mark.parametrize("context", CONTEXTS)
def test_each_token_is_masked_whatever_is_around(context: str) -> None:
    assert missed(context) == []


@pytest.mark.parametrize("context", CONTEXTS)
def test_a_mask_has_the_length_of_the_token_and_leaves_what_is_around(context: str) -> None:
    for _, token in _TOKENS[::5]:
        text = CONTEXTS[context](token)
        shown = masked(text)
        assert len(shown) == len(text)
        assert [at for at, char in enumerate(shown) if char == "\n"] == [
            at for at, char in enumerate(text) if char == "\n"
        ]
        if context.startswith(("JSON", "escaped")) and text[:1] == "{":
            assert json.loads(shown).keys() == json.loads(text).keys()
        for word in re.findall(r"\b[A-Za-z]{3,}\b", CONTEXTS[context]("")):
            assert word in shown or context in _ENCODED


def test_the_bytes_of_a_log_are_masked_each_at_its_place() -> None:
    for shape, token in _TOKENS[::7]:
        for context in ("frame, wrapped", "zero width", "escaped zero width", "sentence"):
            data = f"é {CONTEXTS[context](token)} é\udcff".encode("utf-8", "surrogateescape")
            shown = masked_bytes(data)
            assert len(shown) == len(data)
            assert not leaked(shape, token, shown.decode("utf-8", "replace"))


_HEX = "0123456789abcdef"
_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def _chance() -> random.Random:
    return random.Random(32)  # noqa: S311


def _word(chance: random.Random, letters: str, length: int) -> str:
    return "".join(chance.choices(letters, k=length))


def _harmless(chance: random.Random) -> list[str]:
    number = _word(chance, _HEX, 40)
    long = _word(chance, _HEX, 64)
    some = _word(chance, _BASE64[:62], 24)
    name = "-".join((number[:8], number[8:12], f"4{number[13:16]}", f"8{number[17:20]}", long[:12]))
    packed = base64.b64encode(chance.randbytes(64)).decode()
    return [
        f"commit {number}",
        f"index {number[:7]}..{long[:7]} 100644",
        f"{number}\trefs/heads/main",
        f"sha256:{long}",
        f'"integrity": "sha512-{packed}"',
        f"uuid {name} and {name.upper()}",
        f"/srv/x/.claude/projects/-work-shop/{name}.jsonl",
        f"rollout-2026-11-28T10-00-00-{name}.jsonl",
        f'{{"id": "msg_01{some[:22]}", "type": "message"}}',
        f"toolu_01{some[:22]} call_{some} req_011C{some[:20]} resp_{long[:48]} fc_{long[:50]}",
        f"call_{some}\\nfc_{long[:50]}",
        f"ses_{some}01 prt_{some}01 chatcmpl-{some}ab run_{some} thread_{some}",
        "gpt-5.1-codex-max claude-sonnet-4-5-20250929 gemini-2.5-flash-preview-09-2025",
        "anthropic.claude-opus-4-1-20250805-v1:0 us.meta.llama4-maverick-17b-instruct-v1:0",
        "accounts/fireworks/models/qwen3-235b-a22b-instruct-2507 sk-learn\nfoo-bar-2024-11",
        f"Cargo.lock: checksum = {long}",
        f"https://cdn.example/assets/index-{some[:8]}.js?v={number[:12]}",
        f"docker pull example/app@sha256:{long}",
        "task-runner-with-a-long-name-2024-11-28-and-more sk_some_function_name_of_mine_v2",
        "bb_test_some_function_of_the_module_2 api_test_of_all_the_routes_v2",
        "sb_secret_of_the_project_in_the_settings_2 bedrock-api-key-authentication-in-node-22",
        "sk_car_some_function_of_mine_v2 fal_some_function_of_mine_that_is_long_v2",
        "test_a_thing_that_is_live_now_and_later live_view_of_the_session_with_many_events",
    ]


def test_hashes_ids_and_names_of_models_stay() -> None:
    chance = _chance()
    for text in (text for _ in range(200) for text in _harmless(chance)):
        assert masked(text) == text


def test_encoded_data_stays() -> None:
    data = base64.b64encode(_chance().randbytes(400_000)).decode()
    picture = f"data:image/png;base64,iVBORw0KGgo{data}"
    assert find_secrets(picture) == []
    rows = "\n".join(data[at : at + 76] for at in range(0, 300_000, 76))
    assert find_secrets(rows) == []


def _mixed() -> str:
    """Harmless words and tokens, in the order of chance, without and with spaces between."""
    chance = _chance()
    words = [*_harmless(chance), *(token for _, token in _TOKENS)]
    words += [sign for sign, _ in shapes.followed()]
    words += [token[: len(token) // 2] for _, token in _TOKENS]
    chance.shuffle(words)
    return "".join(word + chance.choice((" ", "\n", "=", "/", '"', "", "_", ".")) for word in words)


def test_only_beginnings_are_looked_at_and_yet_all_shapes_are_found() -> None:
    text = _mixed()
    bodies = {sign: re.compile(f"(?:{body})", re.ASCII) for sign, body in shapes.followed()}
    longest = sorted(bodies, key=len, reverse=True)
    found: list[tuple[int, int, str]] = []
    at = 0
    while at < len(text):
        sign = next((sign for sign in longest if text.startswith(sign, at)), None)
        token = None if sign is None else tokens.token_at(text, at, sign)
        if token is not None:
            found.append((token.start, token.end, token.sign))
        at = at + 1 if token is None else token.end
    assert [
        (token.start, token.end, token.sign)
        for token in tokens.tokens(text, secrets.searched_text(text).places)
    ] == found
    assert len(found) > len(_TOKENS)


@pytest.mark.parametrize("family", ["TOKENS", "LONG_TOKENS", "STATEMENTS", "PLACES", "HOMES"])
def test_rules_find_the_same_near_their_signs_as_in_the_whole_text(family: str) -> None:
    rules = getattr(secrets, family)
    for name, text in _planted():
        searched = secrets.searched_text(text)
        near = list(SearchedRules(rules).found(searched))
        whole = [
            (*form.secret(match), form.name)
            for form in rules.forms
            for match in re.finditer(
                form.source,
                searched.lower if form.folded else searched.text,
                re.DOTALL | re.MULTILINE,
            )
        ]
        assert near == whole, name


def _planted() -> Iterator[tuple[str, str]]:
    padding = "all is well with it.\n" * 400
    yield from ((name, f"{padding}{text}\n{padding}") for name, text in STATED.items())
    yield from ((name, f"{padding}{text}\n{padding}") for name, (text, _) in VENDORS.items())
    yield from ((text, f"{text.format('q7RtY2mK9xWb')}\n{padding}") for text in WRITTEN)
    for shape, token in _TOKENS[::9]:
        yield shape, f"{padding}password={token} {token}\n/home/ana/x {padding}"
    yield "mixed", _mixed()


_RUNS: dict[str, Callable[[int], str]] = {
    "lower case": lambda length: "a" * length,
    "upper case": lambda length: "A" * length,
    "digits": lambda length: "0" * length,
    "hexadecimal": lambda length: "a0" * (length // 2),
    "base64": lambda length: "aB3+" * (length // 4),
    "hyphens": lambda length: "a-" * (length // 2),
    "underscores": lambda length: "a_" * (length // 2),
    "dots": lambda length: "a." * (length // 2),
    "colons": lambda length: "a:" * (length // 2),
    "slashes": lambda length: "a/" * (length // 2),
    "blanks": lambda length: " " * length,
    "lines": lambda length: "a\n" * (length // 2),
    "long words in lines": lambda length: "aB3dE6gH9jK2mN5p\n" * (length // 17),
    "escaped lines": lambda length: "aB3dE6gH9jK2mN5p\\n" * (length // 18),
    "backslashes": lambda length: "\\" * length,
    "escapes": lambda length: "\x1b[" * (length // 2),
    "frames": lambda length: "│ " * (length // 2),
    "dump": lambda length: "00000000: 6768 6768  ghgh\n" * (length // 26),
    "numbers of a dump": lambda length: "0000 " * (length // 5),
    "signs": lambda length: "sk-gsk_ghp_xoxb-" * (length // 16),
    "percent": lambda length: "%41" * (length // 3),
}


def _seconds(text: str) -> float:
    start = time.process_time()
    find_secrets(text)
    return time.process_time() - start


@pytest.mark.parametrize("run", _RUNS)
def test_the_time_for_a_hostile_text_is_linear(run: str) -> None:
    secrets.prepare()
    short, long = _RUNS[run](16_000), _RUNS[run](128_000)
    # A quadratic rule takes 64 times as long; other work of the machine is not counted.
    assert min(_seconds(long) for _ in range(2)) < 24 * min(_seconds(short) for _ in range(3)) + 0.2


def test_the_time_behind_each_sign_is_linear() -> None:
    tokens.prepare()
    for letters in ("a", "A", "0", "a0", "aB3", "a-", "a_", "=", "."):
        rest = letters * (60_000 // len(letters))
        start = time.process_time()
        for sign, _ in shapes.followed():
            tokens.token_at(sign + rest, 0, sign)
        assert time.process_time() - start < len(list(shapes.followed())) * 0.05
        signs = "".join(sign + letters * 20 for sign, _ in shapes.followed())
        assert _seconds(signs * 8) < 24 * _seconds(signs) + 0.2


def test_a_part_is_masked_as_it_is_in_the_whole_text() -> None:
    words = "".join(CONTEXTS[context](_TOKENS[7][1]) + "\n\n" for context in CONTEXTS)
    text = f"all is well.\n\n{words}-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkq\n" * 40
    whole = masked(text)
    for start in range(0, len(text), 7):
        assert masked_part(text, start, start + 90) == whole[start : start + 90]


def test_the_time_for_a_part_is_not_that_of_the_whole_text() -> None:
    text = "some words of a line, password: hunter22\n" * 50_000
    start = time.process_time()
    assert "hunter22" not in masked_part(text, 1_000_000, 1_000_400)
    part = time.process_time() - start
    start = time.process_time()
    find_secrets(text[:400_000])
    assert part < time.process_time() - start


def test_tokens_are_found_where_lines_are_many() -> None:
    _, token = _TOKENS[0]
    text = "some words of a line\n" * 40_000 + token
    assert [text[start:end] for start, end in find_tokens(text)] == [token[4:]]


def test_the_documentation_has_the_date_and_the_number_of_the_shapes() -> None:
    page = (ROOT / "docs" / "secrets.md").read_text("utf-8")
    assert shapes.DATED in page
    for context in CONTEXTS:
        assert re.search(rf"\| {re.escape(context)} \| \d+ \| {len(_TOKENS)} \|", page)
