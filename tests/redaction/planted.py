"""Secrets that are nobody's, made when a test runs, and the ways they get into a log."""

import base64
import json
from collections.abc import Callable

_LETTERS = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0fR"
_HEX = "3fa85f6457174562b3fc2c963f66afa6"


def made(prefix: str, length: int, letters: str = _LETTERS) -> str:
    """A token of a vendor's form: its beginning and as many letters as it takes."""
    return prefix + (letters * 12)[:length]


def _pem(kind: str) -> str:
    body = "\n".join(made("", 64) for _ in range(4))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----"


PASSWORD = "correct" + "-horse-battery"
"""A password that looks like words."""

VENDORS: dict[str, tuple[str, str]] = {
    "OpenAI": (made("sk-", 48), made("", 48)),
    "OpenAI project": (made("sk-proj-", 60), made("proj-", 60)),
    "OpenRouter": (made("sk-or-v1-", 64, _HEX), made("", 64, _HEX)),
    "Anthropic": (made("sk-ant-api03-", 90), made("", 90)),
    "AWS": ("AKIA" + "ABCDEFGH23456789", "ABCDEFGH23456789"),
    "AWS temporary": ("ASIA" + "ABCDEFGH23456789", "ABCDEFGH23456789"),
    "Google": (made("AIza", 35), made("", 35)),
    "Google OAuth": (made("ya29.", 60), made("", 60)),
    "Azure AD": (made("abc8Q~", 34), made("", 34)),
    "GitHub": (made("ghp_", 36), made("", 36)),
    "GitHub app": (made("ghs_", 36), made("", 36)),
    "GitHub fine": (made("github_pat_", 70), made("", 70)),
    "GitLab": (made("glpat-", 20), made("", 20)),
    "GitLab runner": (made("glrt-", 20), made("", 20)),
    "Slack": (made("xoxb-12345-", 24), made("", 24)),
    "Slack webhook": (made("https://hooks.slack.com/services/T0/B0/", 24), made("", 24)),
    "Stripe": (made("sk_live_", 24), made("", 24)),
    "Stripe webhook": (made("whsec_", 32), made("", 32)),
    "Twilio": (made("SK", 32, _HEX), made("", 32, _HEX)),
    "SendGrid": (made("SG.", 22) + "." + made("", 43), made("", 22)),
    "npm": (made("npm_", 36), made("", 36)),
    "PyPI": (made("pypi-AgEI", 70), made("", 70)),
    "Hugging Face": (made("hf_", 34), made("", 34)),
    "web token": (
        ".".join((made("eyJ", 20), made("eyJ", 40), made("", 30))),
        made("", 40),
    ),
    "Discord webhook": (made("https://discord.com/api/webhooks/1234/", 60), made("", 60)),
    "Supabase": (made("sbp_", 40), made("", 40)),
    "Grafana": (made("glsa_", 40), made("", 40)),
    "AWS secret": (made("", 40), made("", 40)),
    "AWS session": (made("IQoJb3JpZ2luX2Vj", 300), made("", 60)),
    "Azure DevOps": (made("", 52, "k3v7q2m5x4t6"), made("", 52, "k3v7q2m5x4t6")),
    "DigitalOcean": (made("dop_v1_", 64, _HEX), made("", 64, _HEX)),
    "Mailgun": (made("key-", 32, _HEX), made("", 32, _HEX)),
    "NVIDIA": (made("nvapi-", 60), made("", 60)),
    "nobody's": (made("", 24), made("", 24)),
    "Slack workflow": (made("https://hooks.slack.com/workflows/T0/A0/", 24), made("", 24)),
    "SonarQube": (made("sqp_", 40, _HEX), made("", 40, _HEX)),
    "Tailscale": (made("tskey-auth-", 32), made("", 32)),
    "HubSpot": ("pat-na1-" + (uuid := "3fa85f64-5717-4562-b3fc-2c963f66afa6"), uuid),
    "Firecrawl": (made("fc-", 32, _HEX), made("", 32, _HEX)),
    "Sourcegraph": (made("sgp_", 16, _HEX) + made("_", 40, _HEX), made("", 40, _HEX)),
    "Ghost": (made("", 24, _HEX) + made(":", 64, _HEX), made("", 64, _HEX)),
    "Cloudflare": (made("v1.0-", 24, _HEX) + made("-", 146, _HEX), made("", 146, _HEX)),
    "Z.AI": (made("", 32, _HEX) + made(".", 16), made(".", 16)),
    "key file": (_pem(""), made("", 64)),
    "SSH key": (_pem("OPENSSH "), made("", 64)),
    "key file in a line": (_pem("").replace("\n", "\\n"), made("", 64)),
    "end of a key file": (_pem("")[120:], made("", 64)),
    "key of RSA": (_pem("RSA "), made("", 64)),
}
"""Text and the part of it that must not be found, by whose it is."""

STATED: dict[str, str] = {
    "variable": f"DB_PASSWORD={PASSWORD}",
    "variable without a line": f"PGPASSWORD={PASSWORD}",
    "exported": f"export STRIPE_SECRET_KEY='{PASSWORD}'",
    "with spaces": f'MAIL_PASSWORD="so {PASSWORD} long"',
    "environment": f"PATH=/usr/bin\nTWILIO_AUTH_TOKEN={PASSWORD}\nLANG=C",
    "YAML": f"database:\n  password: {PASSWORD}\n",
    "INI": f"[default]\naws_secret_access_key = {PASSWORD}\n",
    "address": f"postgres://ana:{PASSWORD}@db.example:5432/shop",
    "address with signs": f"amqp://ana:p@{PASSWORD}@mq/vhost",
    "token as user": f"https://{PASSWORD}@git.example/shop.git",
    "Azure storage": f"DefaultEndpointsProtocol=https;AccountName=a;AccountKey={PASSWORD}==;X=y",
    "SQL server": f"Server=db;User Id=sa;Password={PASSWORD};Encrypt=true",
    "bearer": f"curl -H 'Authorization: Bearer {PASSWORD}' https://api.example",
    "basic": f"Authorization: Basic {base64.b64encode(f'ana:{PASSWORD}'.encode()).decode()}",
    "key header": f"curl -H 'x-api-key: {PASSWORD}' https://api.example",
    "cookie": f"Cookie: session={PASSWORD}; theme=dark",
    "cookie option": f"curl -b 'session={PASSWORD}' https://example",
    "user option": f"curl -u ana:{PASSWORD} https://example",
    "option": f"deploy --password {PASSWORD} --force",
    "option with =": f"vault login --token={PASSWORD}",
    "database client": f"mysql -h db -u root -p{PASSWORD} shop",
    "netrc": f"machine example login ana password {PASSWORD}",
    "pgpass": f"db.example:5432:shop:ana:{PASSWORD}",
    "npmrc": f"//registry.example/:_authToken={PASSWORD}",
    "query": f"https://api.example/v1?access_token={PASSWORD}&page=2",
    "signature": f"https://blob.example/a?sv=2024&sig={PASSWORD}x9",
    "SQL": f"ALTER USER ana IDENTIFIED BY '{PASSWORD}'",
    "hash": f"ana:$6$salt$pepper{PASSWORD}:19000:0:99999",
    "JSON": json.dumps({"password": PASSWORD}),
    "JSON in JSON": json.dumps({"body": json.dumps({"client_secret": PASSWORD})}),
    "JSON in JSON in JSON": json.dumps(json.dumps(json.dumps({"api_key": PASSWORD}))),
    "half of JSON": json.dumps({"body": json.dumps({"token": PASSWORD})})[:-3],
    "service account": json.dumps({"type": "service_account", "private_key": PASSWORD}),
    "base64": base64.b64encode(f"db_password={PASSWORD}".encode()).decode(),
    "base64 of JSON": base64.b64encode(json.dumps({"secret": PASSWORD}).encode()).decode(),
    "in an address": f"https%3A%2F%2Fana%3A{PASSWORD}%40host%2Fx%3Fapi_key%3D{PASSWORD}",
    "assigned in fish": f"set -gx API_TOKEN {PASSWORD}",
    "build file": f"ENV API_TOKEN {PASSWORD}",
    "numbered line": f"    12→DB_PASSWORD={PASSWORD}",
    "environment of a process": f"HOME=/\0API_TOKEN={PASSWORD}\0LANG=C",
    "given to sudo": f"echo '{PASSWORD}' | sudo -S ls",
    "given to a login": f"echo {PASSWORD} | docker login -u ana --password-stdin",
    "database shell": f"mongosh -u ana -p {PASSWORD} host",
    "password of SSL": f"openssl rsa -passin pass:{PASSWORD} -in key",
    "SQL user": f"CREATE USER ana WITH PASSWORD '{PASSWORD}'",
    "SQL row": " ".join(("insert into users (email, password)", f"values ('a', '{PASSWORD}')")),
    "XML": f"<server><password>{PASSWORD}</password></server>",
    "XML attributes": f'<add key="ApiToken" value="{PASSWORD}"/>',
    "property list": f"<key>password</key>\n<string>{PASSWORD}</string>",
    "YAML block": f"secret: >-\n  {PASSWORD}\n",
    "netrc in lines": f"machine api\n  login ana\n  password {PASSWORD}",
    "cookie jar": f"#HttpOnly_.host\tTRUE\t/\tTRUE\t1790000000\tsid\t{PASSWORD}",
    "cluster secret": f"kubectl create secret generic x --from-literal=foo={PASSWORD}",
    "parameter store": f"aws ssm put-parameter --type SecureString --value '{PASSWORD}'",
    "sentence": f"The password is {PASSWORD}.",
    "define": f"define('DB_PASSWORD', '{PASSWORD}');",
    "item of os.environ": f"os.environ['API_TOKEN'] = '{PASSWORD}'",
    "quoted in a text": f"Run `MYAPP_PW={PASSWORD}` first",
    "key of its own": f"db:\n  user: ana\n  pass: {PASSWORD}\n",
    "camel case": json.dumps({"dbPass": PASSWORD, "adminPwd": PASSWORD}),
    "credentials": json.dumps({"creds": {"user": "ana", "value": PASSWORD}}),
    "salt": f"define('AUTH_KEY', 'a1 B2 {PASSWORD} c3');",
    "base of keys": f"secret_key_base: {PASSWORD}",
    "setter": f'client.setPassword("{PASSWORD}");',
    "cut off": '{"password": "' + PASSWORD,
    "digest": f'Authorization: Digest username="ana", response="{PASSWORD}"',
    "argument list in a text": f'ran ["curl", "-u", "ana:{PASSWORD}"] twice',
    "file transfer": f"lftp -u ana,{PASSWORD} ftp://host",
    "cipher": f"openssl enc -aes-256-cbc -k {PASSWORD} -in x",
    "Kubernetes": f"data:\n  password: {base64.b64encode(PASSWORD.encode()).decode()}",
}
"""Texts that say that the password is one."""

ENCODED = base64.b64encode(PASSWORD.encode()).decode().rstrip("=")[:-2]
"""Most of what the password is in base64, wherever it begins at a third byte."""


def _wrapped(secret: str) -> str:
    middle = len(secret) // 2
    return f"{secret[:middle]}\n{secret[middle:]}\nand so on"


WAYS: dict[str, Callable[[str], object]] = {
    "alone": lambda secret: secret,
    "in words": lambda secret: f"the answer is\n{secret}\nand so on",
    "as a key": lambda secret: {secret: {"a": 1}},
    "in a list": lambda secret: ["first", secret, "last"],
    "as JSON in a text": lambda secret: json.dumps({"deep": [json.dumps({"text": secret})]}),
    "in colour": lambda secret: f"\x1b[01;32m{secret}\x1b[0m",
    "in colour as JSON in a text": lambda secret: "got " + json.dumps(f"\x1b[32m{secret}\x1b[0m"),
    "deep inside": lambda secret: {"a": [{"b": {"c": [[secret]]}}]},
}
"""How a text with a secret may stand in arguments and results."""


def wrapped(secret: str) -> str:
    """The same with a line break in the middle."""
    return _wrapped(secret)
