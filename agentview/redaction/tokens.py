"""Tokens of vendors: what is secret by its own form, whatever is around it.

The beginning of a token stays, since it tells whose it is.
"""

import re

from agentview.redaction.forms import Form, Forms, exact


def _token(sign: str, rest: str) -> Form:
    return exact(rf"(?<![A-Za-z0-9]){re.escape(sign)}({rest})", sign)


_LONG = (
    "sbp_", "sb_secret_", "nfp_", "HRKU-", "fm2_", "dp.pt.", "dp.st.", "pscale_tkn_", "pscale_pw_",
    "NRAK-", "sntrys_", "sntryu_", "ATATT3x", "ATBB", "figd_", "PMAK-", "pul-", "rubygems_",
    "glsa_", "glc_", "sq0csp-", "sq0atp-", "api_org_", "tgp_v1_", "nvapi-", "csk-", "lsv2_pt_",
    "pcsk_", "tskey-", "CFPAT-", "CCIPAT_", "xkeysib-", "dckr_oat_", "dckr_pat_", "dt0c01.",
    "sqp_", "shpss_", "EAACEdEose0cBA",
)  # fmt: skip
"""Beginnings of tokens that go on with at least twenty characters, dots among them."""

_NAMED_LETTERS = (
    *(("gh" + letter + "_", r"[A-Za-z0-9]{30,255}") for letter in "pousr"),
    ("github_pat_", r"[A-Za-z0-9_]{22,255}"),
    *(
        (f"gl{kind}-", r"[\w.-]{20,}")
        for kind in ("pat", "ptt", "dt", "rt", "cbt", "ft", "oas", "soat", "imt", "agent")
    ),
    ("xapp-", r"[\w-]{10,}"),
    *((f"xox{letter}-", r"[\w-]{10,}") for letter in "abcdeoprs"),
    *(
        (f"https://hooks.slack.com/{kind}/", r"[\w/-]{20,}")
        for kind in ("services", "workflows", "triggers")
    ),
    # Model vendors.
    ("sk-ant-", r"[\w-]{16,}"),
    ("sk-", r"(?!ant-)(?=[\w-]{0,300}\d)[\w-]{20,}"),
    ("gsk_", r"[A-Za-z0-9]{20,}"),
    ("xai-", r"[A-Za-z0-9]{20,}"),
    ("pplx-", r"[A-Za-z0-9]{20,}"),
    ("r8_", r"[A-Za-z0-9]{30,}"),
    ("hf_", r"[A-Za-z0-9]{30,}"),
    # Google.
    ("AIza", r"[\w-]{35}"),
    ("ya29.", r"[\w-]{20,}"),
    ("GOCSPX-", r"[\w-]{20,}"),
    # Stripe.
    *((f"{kind}{mode}_", r"[A-Za-z0-9]{16,}") for kind in "sr" for mode in ("k_live", "k_test")),
    ("whsec_", r"[A-Za-z0-9+/=]{20,}"),
    # Package registries and services.
    ("npm_", r"[A-Za-z0-9]{36}"),
    ("pypi-", r"[\w-]{50,}"),
    ("SG.", r"[\w-]{16,}\.[\w-]{16,}"),
    *((f"do{letter}_v1_", r"[a-f0-9]{64}") for letter in "opr"),
    ("lin_api_", r"[A-Za-z0-9]{30,}"),
    ("ntn_", r"[A-Za-z0-9]{30,}"),
    ("secret_", r"(?=\w{0,60}\d)(?=\w{0,60}[A-Z])[A-Za-z0-9]{43}\b"),
    ("key-", r"[a-f0-9]{32}"),
    ("dapi", r"[a-f0-9]{32}"),
    *((f"hv{letter}.", r"[\w-]{24,}") for letter in "sbr"),
    *((f"shp{kind}_", r"[a-fA-F0-9]{32}") for kind in ("at", "ca", "pa")),
    ("AGE-SECRET-KEY-1", r"[A-Z0-9]{40,}"),
    *((sign, r"[\w.-]{20,}") for sign in _LONG),
)  # fmt: skip
"""How a token begins and what follows."""

TOKENS = Forms(
    exact(
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
        r"(.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY|\Z)",
        "PRIVATE KEY",
        near=False,
    ),
    *(exact(rf"\b{sign}([A-Z0-9]{{16}})\b", sign) for sign in ("AKIA", "ASIA", "ABIA", "ACCA")),
    *(_token(sign, rest) for sign, rest in _NAMED_LETTERS),
    # Twilio, Azure.
    exact(r"\b(?:SK|AC)([0-9a-f]{32})\b", "SK", "AC"),
    exact(r"(?<![\w~.-])([\w~.-]{3}\dQ~[\w~.-]{31,34})(?![\w~-])", "Q~"),
    # A UUID behind a vendor's sign.
    exact(
        r"(?<![A-Za-z0-9])(?:pat-\w{2,4}|[a-z0-9]{0,8}sk)-"
        r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b",
        "sk-", "pat-",
    ),
    # Google refresh tokens, Mapbox, Discord, Telegram.
    exact(r"(?<![\w/])(1//0[\w-]{20,})", "1//0"),
    exact(r"\b[ps]k\.(eyJ[\w-]{8,}\.[\w-]{16,})", ".eyJ"),
    exact(r"discord(?:app)?\.com/api/webhooks/(\d+/[\w-]{20,})", "/api/webhooks/"),
    exact(r"\b\d{8,10}:(AA[\w-]{33})\b", ":AA"),
    # JSON web tokens.
    exact(r"\b(eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.(?:[\w-]{8,}|(?![\w-])))", "eyJ"),
    # Signatures and passwords in addresses.
    exact(r"[?&;](?:sig|Signature|X-Amz-Signature)=([\w%+/=-]{16,})", "sig=", "Signature="),
    exact(r"\b[a-zA-Z][a-zA-Z0-9+.-]{0,30}://[^\s/:@\"']{0,200}:([^\s/@\"']{1,200})@", "://"),
)  # fmt: skip
"""Forms that are secret wherever they are, also in a part of a longer word."""

HOMES = Forms(
    exact(
        r"(?:(?<![\w.])/home/|/Users/|[A-Za-z]:\\{1,4}Users\\{1,4})"
        r"((?!Shared\b)[^/\\\s\"':;,)<>]+)",
        "/home/", "/Users/", "\\Users\\",
    ),
)  # fmt: skip
"""Names of people, where they are those of home directories."""
