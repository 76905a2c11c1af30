"""Secrets in text: where they are, and the same text with a mask of equal length over them."""

import re
from collections.abc import Iterable
from typing import NamedTuple

MASK = "*"


class Rule(NamedTuple):
    """A form of secret: what `pattern` holds in its first group, or all of it without a group.

    Looked for only where one of the `signs` is in the text; `folded` ones in any case.
    """

    name: str
    signs: tuple[str, ...]
    pattern: re.Pattern[str]
    folded: bool = False


class Secret(NamedTuple):
    """A part of a text that nobody else should see, and the name of the rule that found it."""

    start: int
    end: int
    name: str


def _token(name: str, sign: str, rest: str) -> Rule:
    """A vendor's token: its beginning stays, since it tells whose it is."""
    return Rule(name, (sign,), re.compile(rf"(?<![A-Za-z0-9]){re.escape(sign)}({rest})"))


_WORDS = (
    r"pass(?:word|wd|phrase|code)|secrets?|token|api[_-]?key|access[_-]?key|private[_-]?key"
    r"|encryption[_-]?key|signing[_-]?key|secret[_-]?key|account[_-]?key|credentials?|auth"
)
_NAME = re.compile(rf"(?:{_WORDS}|cookie|authorization)$", re.IGNORECASE)
"""Names whose values are secret, by how they end: `DB_PASSWORD` and not `max_tokens`."""

_SIGNS = ("pass", "secret", "token", "key", "credential", "auth")
_VALUE = r"[^\s\"'`,;(){}\[\]<>$|&\\]"

_SIGNED = {
    "Supabase": "sbp_",
    "Supabase secret": "sb_secret_",
    "Netlify": "nfp_",
    "Heroku": "HRKU-",
    "Fly": "fm2_",
    "Doppler": "dp.pt.",
    "PlanetScale": "pscale_tkn_",
    "New Relic": "NRAK-",
    "Sentry": "sntrys_",
    "Sentry user": "sntryu_",
    "Atlassian": "ATATT3x",
    "Bitbucket": "ATBB",
    "Figma": "figd_",
    "Postman": "PMAK-",
    "Pulumi": "pul-",
    "RubyGems": "rubygems_",
    "Grafana": "glsa_",
    "Grafana Cloud": "glc_",
    "Square": "sq0csp-",
    "Square access": "sq0atp-",
    "Hugging Face organisation": "api_org_",
    "Together": "tgp_v1_",
    "NVIDIA": "nvapi-",
    "Cerebras": "csk-",
    "LangSmith": "lsv2_pt_",
    "Pinecone": "pcsk_",
    "Tailscale": "tskey-",
    "Contentful": "CFPAT-",
    "CircleCI": "CCIPAT_",
    "Brevo": "xkeysib-",
    "Docker organisation": "dckr_oat_",
    "PlanetScale password": "pscale_pw_",
    "Doppler service": "dp.st.",
    "Dynatrace": "dt0c01.",
    "SonarQube": "sqp_",
    "Shopify secret": "shpss_",
}
"""Beginnings of vendors' tokens that are at least twenty characters long."""

RULES: tuple[Rule, ...] = (
    Rule(
        "private key",
        ("PRIVATE KEY",),
        re.compile(
            r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
            r"(.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY|\Z)",
            re.DOTALL,
        ),
    ),
    *(
        Rule("AWS key", (sign,), re.compile(rf"\b{sign}([A-Z0-9]{{16}})\b"))
        for sign in ("AKIA", "ASIA", "ABIA", "ACCA")
    ),
    *(_token("GitHub token", f"gh{letter}_", r"[A-Za-z0-9]{30,255}") for letter in "pousr"),
    _token("GitHub token", "github_pat_", r"[A-Za-z0-9_]{22,255}"),
    *(
        _token("GitLab token", f"gl{kind}-", r"[\w.-]{20,}")
        for kind in ("pat", "ptt", "dt", "rt", "cbt", "ft", "oas", "soat", "imt", "agent")
    ),
    _token("Slack token", "xapp-", r"[\w-]{10,}"),
    *(_token("Slack token", f"xox{letter}-", r"[\w-]{10,}") for letter in "abcdeoprs"),
    *(
        _token("Slack webhook", f"https://hooks.slack.com/{kind}/", r"[\w/-]{20,}")
        for kind in ("services", "workflows", "triggers")
    ),
    _token("key of a model vendor", "sk-ant-", r"[\w-]{16,}"),
    _token("key of a model vendor", "sk-", r"(?!ant-)(?=[\w-]{0,300}\d)[\w-]{20,}"),
    _token("key of a model vendor", "gsk_", r"[A-Za-z0-9]{20,}"),
    _token("key of a model vendor", "xai-", r"[A-Za-z0-9]{20,}"),
    _token("key of a model vendor", "pplx-", r"[A-Za-z0-9]{20,}"),
    _token("key of a model vendor", "r8_", r"[A-Za-z0-9]{30,}"),
    _token("Hugging Face token", "hf_", r"[A-Za-z0-9]{30,}"),
    _token("Google key", "AIza", r"[\w-]{35}"),
    _token("Google token", "ya29.", r"[\w-]{20,}"),
    _token("Google secret", "GOCSPX-", r"[\w-]{20,}"),
    *(
        _token("Stripe key", f"{kind}_{mode}_", r"[A-Za-z0-9]{16,}")
        for kind in ("sk", "rk")
        for mode in ("live", "test")
    ),
    _token("Stripe secret", "whsec_", r"[A-Za-z0-9+/=]{20,}"),
    _token("npm token", "npm_", r"[A-Za-z0-9]{36}"),
    _token("PyPI token", "pypi-", r"[\w-]{50,}"),
    _token("SendGrid key", "SG.", r"[\w-]{16,}\.[\w-]{16,}"),
    *(_token("DigitalOcean token", f"do{letter}_v1_", r"[a-f0-9]{64}") for letter in "opr"),
    _token("Docker token", "dckr_pat_", r"[\w-]{20,}"),
    _token("Linear key", "lin_api_", r"[A-Za-z0-9]{30,}"),
    _token("Notion token", "ntn_", r"[A-Za-z0-9]{30,}"),
    _token("Mailgun key", "key-", r"[a-f0-9]{32}"),
    _token("Databricks token", "dapi", r"[a-f0-9]{32}"),
    *(_token("Vault token", f"hv{letter}.", r"[\w-]{24,}") for letter in "sbr"),
    *(_token("Shopify token", f"shp{kind}_", r"[a-fA-F0-9]{32}") for kind in ("at", "ca", "pa")),
    _token("age key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{40,}"),
    *(_token(f"{whose} token", sign, r"[\w.-]{20,}") for whose, sign in _SIGNED.items()),
    Rule("Twilio key", ("SK", "AC"), re.compile(r"\b(?:SK|AC)([0-9a-f]{32})\b")),
    Rule(
        "Azure secret", ("Q~",), re.compile(r"(?<![\w~.-])([\w~.-]{3}\dQ~[\w~.-]{31,34})(?![\w~-])")
    ),
    Rule(
        "signature in an address",
        ("sig=", "Signature="),
        re.compile(r"[?&;](?:sig|Signature|X-Amz-Signature)=([\w%+/=-]{16,})"),
    ),
    Rule(
        "token with a UUID",
        ("sk-", "pat-"),
        re.compile(
            r"(?<![A-Za-z0-9])(?:pat-\w{2,4}|[a-z0-9]{0,8}sk)-"
            r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b"
        ),
    ),
    Rule("Google token", ("1//0",), re.compile(r"(?<![\w/])(1//0[\w-]{20,})")),
    Rule(
        "Discord webhook",
        ("/api/webhooks/",),
        re.compile(r"discord(?:app)?\.com/api/webhooks/(\d+/[\w-]{20,})"),
    ),
    Rule("Telegram token", (":AA",), re.compile(r"\b\d{8,10}:(AA[\w-]{33})\b")),
    Rule(
        "web token",
        ("eyJ",),
        re.compile(r"\b(eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.(?:[\w-]{8,}|(?![\w-])))"),
    ),
    Rule(
        "password in an address",
        ("://",),
        re.compile(r"\b[a-zA-Z][a-zA-Z0-9+.-]{0,30}://[^\s/:@\"']{0,200}:([^\s/@\"']{1,200})@"),
    ),
    Rule(
        "authorization",
        ("bearer ", "basic "),
        re.compile(r"\b(?:bearer|basic)\s+((?=[^\s\"']*[\d=])[\w.~+/-]{12,}=*)", re.IGNORECASE),
        folded=True,
    ),
    Rule(
        "cookie",
        ("cookie",),
        re.compile(r"\b(?:set-)?cookie\s*:\s*([^\s\"'][^\r\n\"']{3,})", re.IGNORECASE),
        folded=True,
    ),
    Rule(
        "option of a command",
        ("--",),
        re.compile(rf"--(?:[\w-]{{1,30}}-)?(?:{_WORDS})[= ]([^\s\"'$-][^\s\"'$]{{3,}})"),
    ),
    Rule(
        "variable",
        ("=",),
        re.compile(
            r"(?<![A-Za-z0-9])(?:[A-Z0-9_]{0,60}_)?(?:PASS(?:WORD|WD|PHRASE)?|PWD|SECRET|TOKEN"
            r"|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|SECRET_?KEY|ENCRYPTION_?KEY|ACCOUNT_?KEY"
            r"|CREDENTIALS?|AUTH)(?:_ID)?\s?=\s?[\"']?((?![/.])(?!\w+\()[^\s\"'$]{4,})"
        ),
    ),
    Rule(
        "quoted value",
        _SIGNS,
        re.compile(
            rf"(?:{_WORDS})(?:\\?[\"'])?\s{{0,3}}(?:=|:|=>|:=)\s{{0,3}}\\?([\"'])"
            r"((?!\1)[^\s\"'\\$<>{}]{4,})\\?\1",
            re.IGNORECASE,
        ),
        folded=True,
    ),
    Rule(
        "value",
        _SIGNS,
        re.compile(
            rf"(?:{_WORDS})\s{{0,3}}[:=]\s{{0,3}}"
            rf"((?=[^\s]{{0,80}}\d)(?!\d+(?:[.,:]\d+)*\b(?![\w-])){_VALUE}{{6,}})(?![\w(.\[])",
            re.IGNORECASE,
        ),
        folded=True,
    ),
    Rule(
        "home directory",
        ("/home/", "/Users/", "\\Users\\"),
        re.compile(
            r"(?:(?<![\w.])/home/|/Users/|[A-Za-z]:\\{1,4}Users\\{1,4})((?!Shared\b)[^/\\\s\"':;,)<>]+)"
        ),
    ),
)


_COLOURS = re.compile(r"(?:\x1b|\\{1,16}(?:u001[bB]|x1[bB]|033|e))\[[0-9;:?]{0,40}[A-Za-z]")
"""What sets colours on a terminal, its first sign escaped or not: its last letter is no letter of
what follows."""

_BY_SIGN = tuple((sign, rule.folded, rule) for rule in RULES for sign in rule.signs)


def find_secrets(text: str) -> list[Secret]:
    """Secrets in a text, in their order; where two overlap they are told as one.

    Hashes, ids and encoded images are none by themselves: a secret has a vendor's form, a name
    before it, or a place in an address.
    """
    text = without_colours(text)
    folded = text.lower()
    found: list[Secret] = []
    applied: Rule | None = None
    for sign, anyhow, rule in _BY_SIGN:
        if rule is not applied and sign in (folded if anyhow else text):
            applied = rule
            group = rule.pattern.groups
            found += (
                Secret(*match.span(group), rule.name) for match in rule.pattern.finditer(text)
            )
    return _merged(sorted(found))


def without_colours(text: str) -> str:
    """The text with blanks in the place of what sets colours, as long as it was."""
    if "\x1b" not in text and "\\" not in text:
        return text
    return _COLOURS.sub(lambda match: " " * len(match[0]), text)


def _merged(secrets: Iterable[Secret]) -> list[Secret]:
    merged: list[Secret] = []
    for secret in secrets:
        if merged and secret.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = last._replace(end=max(last.end, secret.end))
        else:
            merged.append(secret)
    return merged


def masked(text: str) -> str:
    """The text with its secrets masked: as long as it was, its white space kept."""
    secrets = find_secrets(text)
    if not secrets:
        return text
    parts: list[str] = []
    position = 0
    for start, end, _ in secrets:
        parts += (text[position:start], covered(text[start:end]))
        position = end
    return "".join([*parts, text[position:]])


def masked_bytes(data: bytes) -> bytes:
    """Bytes with their secrets masked, each at its place."""
    # Each byte as a character of its own, so that none moves.
    return masked(data.decode("latin-1")).encode("latin-1")


def covered(text: str) -> str:
    """A mask for a secret: as long as it, its white space kept."""
    return "".join(char if char.isspace() else MASK for char in text)


def is_secret_name(name: str) -> bool:
    """Whether a value is secret because of what it is called: `apiKey`, `DB_PASSWORD`."""
    return _NAME.search(name) is not None
