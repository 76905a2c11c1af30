"""Rules that find secrets by where they stand: in commands, in files of a kind, in sentences."""

from agentview.redaction.forms import LAST, SecretRules, anycase, exact, named
from agentview.redaction.names import NAME, NAME_SIGNS

_WORD = r"(?:\\*[\"'])?([^\s\"'\\]{1,500})"
"""An argument of a command, in quotes or not."""
_QUOTE = r"\\*[\"']"
_REST = r"[^\n|;&]{0,300}?"
"""What may stand between a program and one of its options."""

PLACES = SecretRules(
    "place",
    # Statements of shells and of programs that give a name a value.
    anycase(
        rf"\b(?:set(?:\s+-\w+)+|config\s+set|setx|setenv|env|arg)\s+"
        rf"(?:[\w/:.@-]{{0,80}}(?:{NAME})|\w*_(?:pat|pw)){_QUOTE}?"
        rf"\s+{_WORD}",
        "set", "env", "arg",
    ),
    anycase(
        rf"\b(?:define|putenv|setenv|setitem)\(\s*{_QUOTE}\w*(?:{NAME}){_QUOTE}\s*,\s*{_WORD}",
        "define", "putenv", "setenv", "setitem",
    ),
    anycase(
        rf"\bdefine\(\s*{_QUOTE}\w*(?:{NAME}){_QUOTE}\s*,\s*(\\*[\"'])((?:(?!\1).){{1,500}}?)\1",
        "define",
        group=2,
    ),
    # Arguments of programs.
    exact(rf"\blftp\b{_REST}\s-u\s(?:{_QUOTE})?[^\s,]{{1,100}},{_WORD}", "lftp"),
    exact(rf"\bopenssl\b{_REST}\s-[kK]\s{_WORD}", "openssl"),
    exact(
        rf"{_QUOTE}(?:-u|--user){_QUOTE},\s*{_QUOTE}[^\s:\"']{{1,100}}:([^\s\"'\\]{{1,500}})",
        "-u",
    ),
    exact(rf"\bmongo\w*\b{_REST}\s-p\s{_WORD}", "mongo"),
    exact(rf"\bredis-cli\b{_REST}\s-a\s{_WORD}", "redis-cli"),
    exact(rf"\bldap\w+\b{_REST}\s-w\s{_WORD}", "ldap"),
    exact(rf"\b(?:sqlcmd|bcp|zip|unzip)\b{_REST}\s-P\s{_WORD}", "-P"),
    exact(rf"\b7z\w?\b{_REST}\s-p{_WORD}", "7z"),
    exact(rf"\bhttps?\s{_REST}-(?:a|-auth)[\s=](?:{_QUOTE})?[^\s:]{{1,100}}:{_WORD}", "http"),
    exact(rf"\s-U\s?(?:{_QUOTE})?[\w.\\/-]{{1,80}}%{_WORD}", "-U"),
    exact(rf"\s(?:-pass(?:in|out)?\s|--?\w*pass\w*=)?pass:{_WORD}", "pass:"),
    exact(rf"\s-(?:store|key|src\w*|dest\w*)pass(?:word)?\s{_WORD}", "pass"),
    exact(rf"\bssh-keygen\b{_REST}\s-N\s{_WORD}", "ssh-keygen"),
    exact(rf"\b(?:useradd|usermod|newusers)\b{_REST}\s-p\s{_WORD}", "useradd", "usermod"),
    exact(rf"\bchpasswd\s*<<<\s*(?:{_QUOTE})?[^\s:]{{1,100}}:{_WORD}", "chpasswd"),
    exact(r"\bnet\s+use\b[^\n]{0,200}?/user:\S{1,100}\s+([^\s/]\S{0,300})", "/user:"),
    exact(rf"\bhtpasswd\s+-\w*b\w*\s+\S+\s+\S+\s+{_WORD}", "htpasswd"),
    exact(rf"\b(?:wandb login|add-authtoken)\s+(?:--\w+\s+)*{_WORD}", "wandb", "add-authtoken"),
    exact(rf"\b(?:sqlplus\s|thin:)(?:{_QUOTE})?[\w.]{{1,80}}/([^\s@\"'\\]{{1,200}})@", "@"),
    exact(r"--from-literal[=\s][\"']?[\w.-]{1,100}=([^\s\"'\\]{1,500})", "--from-literal"),
    exact(rf"--secret-(?:string|value|binary)[=\s]{_WORD}", "--secret-"),
    exact(rf"\bsecrets?\s+(?:set|create|add)\b{_REST}--(?:body|value)[=\s]{_WORD}", "secret"),
    exact(rf"\bSecureString\b{_REST}--value[=\s]{_WORD}", "SecureString"),
    exact(rf"--value[=\s]{_WORD}{_REST}\bSecureString\b", "SecureString"),
    exact(r"\bvault\s+(?:kv\s+)?(?:put|patch|write)\s+\S+((?:\s+[\w.-]+=\S+)+)", "vault"),
    exact(rf"::add-mask::{_WORD}", "::add-mask::"),
    exact(
        rf"\b(?:echo|printf)\s+(?:-\w+\s+)*(?:'%s(?:\\+n)?'\s+)?(?:{_QUOTE})?([^|\n]{{1,300}}?)"
        rf"(?:{_QUOTE})?\s*\|\s*(?:sudo\s+(?:-\w+\s+)*-S|chpasswd|passwd|[^\n|;&]{{1,100}}?"
        r"--(?:password-stdin|with-token|passphrase-fd))",
        "sudo", "passwd", "--password-stdin", "--with-token", "--passphrase-fd",
    ),
    # Tokens that are spelled as hashes and UUIDs are, next to what identifies their vendor.
    exact(r"\bAC[0-9a-f]{32}\b[\"',:\s\\]{1,6}([0-9a-f]{32})\b", "AC", hexadecimal=True),
    exact(r"\b[012]/\d{10,20}(?:/\d{10,20})?:([0-9a-f]{32})\b", "/", hexadecimal=True),
    exact(
        r"\b(?:[a-z]{2,4}|[a-z]{2,8}_[0-9a-f]{16})[_-]([0-9a-f]{32}(?:[0-9a-f]{8})?)\b",
        "-", "_",
        hexadecimal=True,
    ),
    exact(r"(?<![\w:.-])([0-9a-f]{24}:[0-9a-f]{64})\b", ":", hexadecimal=True),
    exact(
        r"(?<![\w.-])([0-9a-f]{32}\.(?=\w{0,15}[A-Z])[A-Za-z0-9]{16})(?![\w.])",
        ".", hexadecimal=True,
    ),
    exact(r"\bst\.[0-9a-f]{24}\.([0-9a-f]{32}(?:\.[0-9a-f]{32})?)\b", "st.", hexadecimal=True),
    exact(rf"{_QUOTE}key{_QUOTE}: ?{_QUOTE}([0-9a-f]{{32}}){_QUOTE}", "key", hexadecimal=True),
    # Statements of databases.
    anycase(
        r"\bpassword\s*\(?\s*(\\*[\"'])(?!\s*[:=,])((?:(?!\1).){1,300}?)\1",
        "password",
        group=2,
    ),
    anycase(
        rf"\binsert\s+into\b[^()]{{1,120}}\([^()]{{0,300}}(?:{NAME})[^()]{{0,300}}\)\s*values\s*"
        r"\(([^()]{1,800})\)",
        "insert",
    ),
    # Files of a kind.
    exact(
        r"(?:^|[\s\"'`→+|])[\w.*-]{1,100}:(?:\d{4,5}|\*):[\w.*-]{1,100}:[\w.*-]{1,100}:"
        r"([^\s\"'`\\:]{4,200})(?=[\s\"'`\\]|\Z)",
        ":",
    ),
    anycase(
        rf"\bname:[ \t]{{1,3}}[\"']?[\w.-]{{0,60}}(?:{NAME})[\"']?[ \t]*\r?\n"
        r"[ \t]*value:[ \t]{1,3}[\"']?([^\s\"'#][^\r\n\"']{0,300})",
        *NAME_SIGNS,
    ),
    exact(
        r"\{(?:S?SHA\d{0,3}|S?MD5|CRYPT|PBKDF2[\w-]*)\}([\w+/=.$,-]{16,})",
        "SHA", "MD5}", "{CRYPT", "{PBKDF2",
    ),
    exact(r"\bmachine\s+\S+.{0,200}?\bpassword\s+(\S+)", "machine"),
    exact(
        r"\b(?:TRUE|FALSE)\t[^\t\n]{1,200}\t(?:TRUE|FALSE)\t\d+\t[^\t\n]{1,200}\t([^\t\r\n]+)",
        "TRUE", "FALSE",
    ),
    exact(r"\bPrivate-Lines: \d+\r?\n((?:[A-Za-z0-9+/=]+\r?\n?)+)", "Private-Lines", near=False),
    exact(
        r"BEGIN SSH2 ENCRYPTED PRIVATE KEY ----(.{1,20000}?)(?:---- END|\Z)",
        "BEGIN SSH2",
        near=False,
    ),
    exact(
        r"\bkind: Secret\b.{0,2000}?\b(?:d|stringD)ata:[^\n]*\n((?:[ \t]+[^\n]*\n?){1,100})",
        "kind: Secret",
        near=False,
    ),
    named(
        NAME,
        r"\"?:[ \t]*[|>][+-]?[^\n]{0,20}\n((?:[ \t]+\S[^\n]*(?:\n|\Z)){1,100})",
        *NAME_SIGNS,
    ),
    anycase(
        rf"<[\w:.-]*(?:{NAME})(?:\s[^<>]{{0,100}})?>\s*"
        r"(?:<!\[cdata\[([^\]]{1,500})\]\]>|(?!\d+\s*<)([^<>\s][^<>]{0,500}))</",
        "</",
        group=LAST,
    ),
    anycase(rf"<key>[\w .-]*(?:{NAME})</key>\s*<string>([^<]{{1,500}})<", "<key>"),
    anycase(
        rf"(?:name|key)={_QUOTE}[\w .:-]*(?:{NAME}){_QUOTE}\s+value={_QUOTE}([^\"'\\]{{1,500}})",
        "value=",
    ),
    anycase(
        rf"{_QUOTE}(?:id|name|label|key){_QUOTE}: ?{_QUOTE}[^\"'\n]{{0,200}}?"
        rf"(?:{NAME}|/secrets/[\w.-]{{1,100}}){_QUOTE}, ?"
        rf"(?:{_QUOTE}\w{{1,40}}{_QUOTE}: ?{_QUOTE}[^\"'\n]{{0,100}}{_QUOTE}, ?){{0,3}}"
        rf"{_QUOTE}value{_QUOTE}: ?{_QUOTE}([^\"'\\\n]{{1,500}})",
        "value",
    ),
    anycase(
        rf"{_QUOTE}value{_QUOTE}: ?{_QUOTE}([^\"'\\\n]{{1,500}}){_QUOTE}, ?"
        rf"{_QUOTE}(?:id|name|label|key){_QUOTE}: ?{_QUOTE}[^\"'\n]{{0,200}}?(?:{NAME}){_QUOTE}",
        "value",
    ),
    anycase(
        r"\b(?:mnemonic|seed[ _-]phrase)\b[\"']?\s*[:=]\s*[\"']?([a-z]+(?: [a-z]+){5,23})",
        "mnemonic", "phrase",
    ),
    # Addresses.
    exact(
        r":(?:\\*/){2}[^\s/:@\"'\\]{1,200}:(?!\d{1,5}\\*/)([^\s@\"']{1,300})@(?=[\w-]+[./:])", "@"
    ),
    exact(r"[?&](?:code|sig|signature|sas)=([\w%~./+-]{16,})", "code=", "sig", "sas="),
    exact(
        r"(?:\\*/){2}[^\s\"'<>]{0,200}(?:webhook|hooks\.)[^\s\"'/\\]{0,60}\\*/([^\s\"'<>]{16,})",
        "webhook", "hooks.",
    ),
    # Sentences.
    anycase(
        r"\b(?:pass(?:word|phrase|code)|secret|token|(?:api|access|secret)[ -]key)\s+"
        r"(?:(?:is|was|of|to):?\s+)?(?:\\*[\"'`])?((?=\S{0,200}(?:\d|[^a-z\s\"'`]\w))\S{6,200})"
        r"(?<![\"'`.,;:\\])",
        "pass", "secret", "token", "key",
    ),
    anycase(
        r"\b(?:key|secret|token|password)(?: \w+)? \[[^\]\n]{0,60}\]: (\S{8,})", "]: "
    ),
    exact(r"\bSSWS\s+([\w-]{20,})", "SSWS"),
)  # fmt: skip
