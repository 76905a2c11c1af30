"""Tokens that are nobody's, made when a test runs from the shapes that vendors publish.

A shape is spelled `prefix{A36}`: what is in braces stands for that many characters by chance, of
an alphabet of `ALPHABETS`; `{uuid}` stands for a UUID. Lengths are those of real tokens: the
rules of the package, which ask for less, are not read here.
"""

import base64
import random
import re
import string
import uuid
from collections.abc import Callable

ALPHABETS = {
    "A": string.ascii_letters + string.digits,
    "a": string.ascii_letters,
    "L": string.ascii_lowercase + string.digits,
    "U": string.ascii_uppercase + string.digits,
    "V": string.ascii_uppercase + "234567",
    "h": "0123456789abcdef",
    "d": string.digits,
    "w": string.ascii_letters + string.digits + "-_",
    "b": string.ascii_letters + string.digits + "+/",
}

SHAPES = r"""
ghp_{A36}
gho_{A36}
ghu_{A36}
ghs_{A36}
ghr_{A76}
github_pat_{A22}_{A59}
glpat-{w20}
glpat-{w27}.01.{L9}
glptt-{h40}
gldt-{w20}
glrt-{w20}
glrt-t1_{w27}.01.{L9}
glrtr-{w20}
glcbt-{A2}_{w20}
glft-{w20}
glffct-{w20}
gloas-{w64}
glsoat-{w20}
glimt-{L25}
glagent-{w50}
glwt-{w26}
GR1348941{w20}
ATATT3xFfGF0{w176}={U8}
ATCTT3xFfGN0{w170}={U8}
ATBB{A32}
BBDC-{A44}
sgp_{h16}_{h40}
sgp_local_{h40}
slk_{h64}
sgamp_user_{U26}_{h64}
AKIA{V16}
ASIA{V16}
ABIA{V16}
ACCA{V16}
ABSK{b132}
bedrock-api-key-{b120}
LTAI{A20}
AKID{A32}
bce-v3/ALTAK-{A21}/{h40}
AQVN{w36}
SCW{U17}
DO00{U16}
GOOG1E{U56}
AIza{w35}
AQ.Ab8R{w46}
ya29.{w180}
GOCSPX-{w28}
1//0{w60}
dop_v1_{h64}
doo_v1_{h64}
dor_v1_{h64}
cfk_{A48}
cfut_{A48}
cfat_{A48}
v1.0-{h24}-{h146}
HRKU-AA{w58}
fo1_{w43}
fm2_{b120}
fm1r_{b120}
rnd_{A28}
nfp_{A36}
nfc_{A36}
vcp_{A56}
vck_{A56}
tskey-auth-{A17}-{A32}
tskey-api-{A17}-{A32}
tskey-client-{A17}-{A32}
sbp_{h40}
sb_secret_{w31}
pscale_tkn_{w43}
pscale_pw_{w43}
pscale_oauth_{w43}
napi_{L64}
mdb_sa_sk_{w40}
dapi{h32}
dapi{h32}-2
{A3}8Q~{A34}
{A52}JQQJ99{A18}AZDO{A4}
{b76}+ASt{b6}==
{b42}AzFu{b6}==
sk-{A20}T3BlbkFJ{A20}
sk-proj-{w74}T3BlbkFJ{w74}
sk-svcacct-{w74}T3BlbkFJ{w74}
sk-admin-{w58}T3BlbkFJ{w58}
sk-ant-api03-{w93}AA
sk-ant-admin01-{w93}AA
sk-ant-oat01-{w93}AA
sk-or-v1-{h64}
sk-lf-{uuid}
sk-{h32}
sk-kimi-{A64}
sk_{h48}
gsk_{A52}
xai-{A80}
pplx-{A48}
r8_{A37}
hf_{a34}
api_org_{a34}
csk-{L48}
tgp_v1_{w43}
fw_{A22}
nvapi-{w64}
lsv2_pt_{h32}_{h10}
lsv2_sk_{h32}_{h10}
pcsk_{A6}_{A63}
jina_{h32}{A28}
tvly-dev-{A32}
tvly-{A32}
fc-{h32}
e2b_{h40}
rpa_{U40}{L6}
pa-{w43}
ak-{A22}
as-{A22}
crsr_{h64}
key_{h64}
fk-{A30}
ctx7sk-{uuid}
llx-{A48}
wandb_v1_{w77}
pylf_v1_us_{A43}
apify_api_{A36}
bb_live_{w30}
BSA{w27}
signkey-prod-{h64}
tr_dev_{A20}
tr_prod_{A20}
vtwn_{A30}
mxb_{A32}
xoxb-{d12}-{d12}-{A24}
xoxp-{d12}-{d12}-{d12}-{h32}
xoxe-1-{U146}
xoxe.xoxp-1-{U164}
xoxs-{d12}-{d12}-{d12}-{h32}
xapp-1-A{U10}-{d13}-{h64}
xwfp-{d12}-{d12}-{A24}
https://hooks.slack.com/services/T{U10}/B{U10}/{A24}
https://hooks.slack.com/triggers/T{U10}/{d13}/{h32}
https://discord.com/api/webhooks/{d19}/{w68}
MTE{A21}.{w6}.{w38}
{d9}:AA{w33}
AAAA{w7}:APA91b{w134}
EAAC{A180}
WPL_AP1.{A16}.{A8}
sl.u.{w140}
SG.{w22}.{w43}
xkeysib-{h64}-{A16}
xsmtpsib-{h64}-{A16}
key-{h32}
SK{h32}
re_{A8}_{A24}
md-{w22}
{h32}-us14
sk_live_{A24}
sk_test_{A99}
rk_live_{A24}
sk_prod_{A24}
whsec_{b32}
pk_{d8}_{U32}
rzp_live_{A14}
live_{h35}
sq0csp-{w43}
sq0atp-{w22}
EAAAl{w59}
access_token$production${L16}${h32}
access-sandbox-{uuid}
FLWSECK_TEST-{h32}-X
FLWSECK-{h32}-X
duffel_live_{w43}
EZAK{A54}
EZTK{A54}
shippo_live_{h40}
shpat_{h32}
shpca_{h32}
shppa_{h32}
shpss_{h32}
npm_{A36}
pypi-AgEIcHlwaS5vcmc{w100}
rubygems_{h48}
oy2{L43}
dckr_pat_{w27}
dckr_oat_{w32}
packagist_ack_{h62}
CLOJARS_{h60}
AKCp{A69}
cmVmd{A59}
CCIPAT_{A22}_{h40}
CCIPRJ_{A22}_{h40}
bkua_{h40}
sqp_{h40}
sqa_{h40}
squ_{h40}
snyk_uat.{h8}.{w22}.{w27}
pul-{h40}
pnu_{A36}
ico-{A32}
mka_{w40}
dbtc_{w41}
tk-us-{w48}
API-{U26}
sm_pat_{A16}
sm_aat_{A16}
pat.{w22}.{h24}.{A20}
hvs.{w95}
hvb.{w140}
dp.pt.{A43}
dp.st.prd.{A43}
dp.ct.{A43}
ops_eyJ{b260}
A3-{U6}-{U11}-{U5}-{U5}-{U5}
A3-{U6}-{U6}-{U5}-{U5}-{U5}-{U5}
AGE-SECRET-KEY-1{U58}
{A14}.atlasv1.{w64}
sha256~{w43}
ory_at_{w43}.{w43}
dnkey-{w26}-{w52}
pat{A14}.{h64}
glsa_{A32}_{h8}
glc_{b120}
eyJrIjoi{A70}
NRAK-{U27}
NRII-{w32}
NRJS-{h19}
sntryu_{h64}
sntrys_eyJpYXQiO{b80}_{b43}
hcaik_{L58}
hcbik_{L58}
dt0c01.{U24}.{U64}
phx_{A43}
xaat-{uuid}
sdk-{uuid}
mob-{uuid}
lin_api_{A40}
lin_oauth_{h64}
ntn_{d11}{A35}
secret_{A43}
figd_{w40}
figo_{w40}
PMAK-{h24}-{h34}
CFPAT-{w43}
tfp_{A44}_{A14}
rdme_{L70}
fio-u-{w64}
p8e-{h32}
aio_{A28}
s-s4t2ud-{h64}
4b1d{A38}
{A6}_{A29}_mmk
sk.eyJ1{A60}.{w22}
VF.DM.{h24}.{A16}
whop_live_{A40}
newvendor_pat_{A32}
acme-live-{A28}
eyJhbGciOiJIUzI1NiJ9.eyJzdWIi{w40}.{w43}
""".strip().split("\n")

_PART = re.compile(r"\{(?:([AaLUVhdwb])(\d+)|uuid)\}")
_MARK = "\0"


def made_tokens() -> list[tuple[str, str]]:
    """Each shape, with a token that is the same at each run."""
    return [(shape, _made(shape)) for shape in SHAPES]


def _made(shape: str) -> str:
    chance = random.Random(shape)  # noqa: S311

    def part(match: re.Match[str]) -> str:
        if match[1] is None:
            return str(uuid.UUID(int=chance.getrandbits(128), version=4))
        letters = ALPHABETS[match[1]]
        # No sign at an end: a reader could not tell it from the sentence around.
        inner = "".join(chance.choices(letters, k=int(match[2])))
        plain = [letter for letter in letters if letter.isalnum()]
        return chance.choice(plain) + inner[1:-1] + chance.choice(plain) if inner else ""

    return _PART.sub(part, shape)


def by_chance(shape: str, token: str) -> list[str]:
    """The parts of a token that nobody may read, those of six characters and more."""
    pattern = ""
    position = 0
    for match in _PART.finditer(shape):
        pattern += re.escape(shape[position : match.start()])
        part = "[0-9a-f-]{36}" if match[1] is None else f".{{{match[2]}}}"
        # A number is the id of an account.
        pattern += part if match[1] == "d" else f"({part})"
        position = match.end()
    whole = re.fullmatch(pattern + re.escape(shape[position:]), token)
    assert whole is not None
    return [part for part in whole.groups() if len(part) >= _READABLE]


_READABLE = 6


def _dump(text: str, *, plain: bool) -> str:
    data = f"key = {text}\n".encode()
    lines: list[str] = []
    for at in range(0, len(data), 16):
        row = data[at : at + 16]
        shown = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        if plain:
            pairs = [row[i : i + 2].hex() for i in range(0, len(row), 2)]
            lines.append(f"{at:08x}: {' '.join(pairs):<39}  {shown}")
        else:
            left = " ".join(f"{byte:02x}" for byte in row[:8])
            right = " ".join(f"{byte:02x}" for byte in row[8:])
            lines.append(f"{at:08x}  {left:<23}  {right:<23}  |{shown}|")
    return "\n".join(lines)


def _frame(text: str, width: int) -> str:
    rows = [text[at : at + width] for at in range(0, len(text), width)]
    body = "\n".join(f"│ {row:<{width}} │" for row in rows)
    return f"╭{'─' * (width + 2)}╮\n{body}\n╰{'─' * (width + 2)}╯\nAll is done."


def _colored(text: str) -> str:
    middle = len(text) // 2
    return f"\x1b[32m{text[:middle]}\x1b[0m\x1b[1;31m{text[middle:]}\x1b[0m"


def _halves(text: str, between: str) -> str:
    return text[: len(text) // 2] + between + text[len(text) // 2 :]


CONTEXTS: dict[str, Callable[[str], str]] = {
    "sentence": lambda token: f"Please use {token} for the next call.",
    "query of a URL": lambda token: f"GET https://api.example/v1/items?page=2&x={token}&n=1",
    "user of a URL": lambda token: f"git clone https://{token}@host.example/a.git",
    "JSON": lambda token: f'{{"a": 1, "note": "{token}", "b": [2]}}',
    "JSON in JSON": lambda token: f'{{"text": "{{\\"note\\": \\"{token}\\"}}\\n"}}',
    "added line": lambda token: f"@@ -1 +1 @@\n-value: none\n+value: {token}\n context",
    "removed line": lambda token: f"@@ -1 +1 @@\n-{token}\n+none\n context",
    "header": lambda token: f"> X-Vendor: {token}\n> Accept: */*",
    "variable": lambda token: f"export VENDOR='{token}'",
    "line break": lambda token: f"Use\n{_halves(token, chr(10))}\nnow.",
    "escaped line break": lambda token: f'{{"text": "Use {_halves(token, chr(92) + "n")} now"}}',
    "break in a diff": lambda token: f"+a: {_halves(token, chr(10) + '+')}\n+b: 2",
    "numbered lines": lambda token: f"     1\ta {_halves(token, chr(10) + '     2' + chr(9))}\n",
    "color around": lambda token: f"Use \x1b[1;32m{token}\x1b[0m now",
    "color inside": lambda token: f"Use {_colored(token)} now",
    "escaped color": lambda token: "Use \\u001b[32m" + _halves(token, "\\u001b[0m") + " now",
    "frame": lambda token: _frame(f"Use {token}", len(token) + 4),
    "frame, wrapped": lambda token: _frame(f"{token}", 20),
    "zero width": lambda token: f"Use {_halves(token, chr(0x200B))} now",
    "escaped zero width": lambda token: f'{{"a": "{_halves(token, chr(92) + "u200b")}"}}',
    "xxd": lambda token: _dump(token, plain=True),
    "hexdump -C": lambda token: _dump(token, plain=False),
    "base64": lambda token: "data: " + base64.b64encode(f"a {token} b".encode()).decode(),
    "base64, wrapped": lambda token: base64.encodebytes(f"a: {token}\nb\n".encode()).decode(),
}  # fmt: skip


def leaked(shape: str, token: str, shown: str) -> bool:
    """True if a reader can get at a part of the token by the text that is shown.

    Six characters of a part of chance in a row are a part; text in numbers and in base64 is read.
    """
    said = _said(shown)
    return any(
        part[at : at + _READABLE] in said
        for part in by_chance(shape, token)
        for at in range(len(part) - _READABLE + 1)
    )


_ESCAPE = re.compile(r"(?:\x1b|\\u001b)\[[0-9;]*[A-Za-z]|\u200b|\\u200b")


def _said(shown: str) -> str:
    """All that a text says: as it is, without what is between, and of its numbers."""
    bare = _ESCAPE.sub("", shown)
    tight = re.sub(r"(?:\\n|[\s│+]|^ *\d+\t)+", "", bare)
    numbers = "".join(
        re.sub(r"^[0-9a-f]{8}:? +|(?:  [^ ].*| +\|.*)$", "", line)
        for line in shown.replace("  ", " ", 1).split("\n")
        if re.match(r"[0-9a-f]{8}", line)
    )
    pairs = re.findall("[0-9a-f]{2}|.", numbers.replace(" ", ""))
    dumped = "".join(chr(int(pair, 16)) if len(pair) == 2 else "*" for pair in pairs)
    encoded = ""
    for word in re.findall(r"[A-Za-z0-9+/]{16,}", shown.replace("\n", "")):
        encoded += base64.b64decode(word[: len(word) // 4 * 4]).decode("latin-1")
    return f"{bare} {tight} {dumped} {encoded}"
