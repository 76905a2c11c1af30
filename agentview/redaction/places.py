"""Rules that find secrets by where they stand: in commands, in files of a kind, in sentences."""

from agentview.redaction.forms import HEXADECIMAL, LAST, PORT, SecretRules, anycase, exact
from agentview.redaction.names import NAME, NAME_AHEAD, NAME_BEFORE, NAME_SIGNS

_WORD = r"(?:\\*[\"'])?([^\s\"'\\]{1,500})"
"""An argument of a command, in quotes or not."""
_QUOTE = r"\\*[\"']"
_REST = r"[^\n|;&]{0,300}?"
"""Text between a program and one of its options."""

PLACES = SecretRules(
    "place",
    # Statements of shells and of programs that give a name a value.
    anycase(
        rf"\b(?:set(?:\s+-\w+)+|config\s+set|setx|setenv|env|arg)\s+"
        rf"(?:[\w/:.@-]{{0,80}}(?:{NAME})|\w*_(?:pat|pw)){_QUOTE}?"
        rf"\s+{_WORD}",
        "set", "env", "arg",
        before=12, ahead=r"(?:setx?|(?:set)?env|arg)\s",
    ),
    anycase(
        rf"\b(?:define|putenv|setenv|setitem)\(\s*{_QUOTE}\w*(?:{NAME}){_QUOTE}\s*,\s*{_WORD}",
        "define(", "putenv(", "setenv(", "setitem(",
    ),
    anycase(
        rf"\bdefine\(\s*{_QUOTE}\w*(?:{NAME}){_QUOTE}\s*,\s*(\\*[\"'])((?:(?!\1).){{1,500}}?)\1",
        "define(",
        group=2,
    ),
    # Arguments of programs.
    exact(rf"\blftp\b{_REST}\s-u\s(?:{_QUOTE})?[^\s,]{{1,100}},{_WORD}", "lftp"),
    exact(rf"\bopenssl\b{_REST}\s-[kK]\s{_WORD}", "openssl"),
    exact(
        rf"{_QUOTE}(?:-u|--user){_QUOTE},\s*{_QUOTE}[^\s:\"']{{1,100}}:([^\s\"'\\]{{1,500}})",
        "-u", "--user",
        before=8, ahead=rf"(?:-u|--user){_QUOTE},",
    ),
    exact(rf"\bmongo\w*\b{_REST}\s-p\s{_WORD}", "mongo"),
    exact(rf"\bredis-cli\b{_REST}\s-a\s{_WORD}", "redis-cli"),
    exact(rf"\bldap\w+\b{_REST}\s-w\s{_WORD}", "ldap"),
    exact(rf"\b(?:sqlcmd|bcp|zip|unzip)\b{_REST}\s-P\s{_WORD}", "-P", before=310, ahead=r"-P\s"),
    exact(rf"\b7z\w?\b{_REST}\s-p{_WORD}", "7z"),
    exact(
        rf"\bhttps?\s{_REST}-(?:a|-auth)[\s=](?:{_QUOTE})?[^\s:]{{1,100}}:{_WORD}",
        "http",
        ahead=r"https?\s",
    ),
    exact(rf"\s-U\s?(?:{_QUOTE})?[\w.\\/-]{{1,80}}%{_WORD}", "-U", before=1),
    exact(rf"\s(?:-pass(?:in|out)?\s|--?\w*pass\w*=)?pass:{_WORD}", "pass:", before=60),
    exact(
        rf"\s-(?:store|key|src\w*|dest\w*)pass(?:word)?\s{_WORD}",
        "pass",
        before=40, ahead=r"pass(?:word)?\s",
    ),
    exact(rf"\bssh-keygen\b{_REST}\s-N\s{_WORD}", "ssh-keygen"),
    exact(rf"\b(?:useradd|usermod|newusers)\b{_REST}\s-p\s{_WORD}", "useradd", "usermod"),
    exact(rf"\bchpasswd\s*<<<\s*(?:{_QUOTE})?[^\s:]{{1,100}}:{_WORD}", "chpasswd"),
    exact(r"\bnet\s+use\b[^\n]{0,200}?/user:\S{1,100}\s+([^\s/]\S{0,300})", "/user:", before=220),
    exact(rf"\bhtpasswd\s+-\w*b\w*\s+\S+\s+\S+\s+{_WORD}", "htpasswd"),
    exact(rf"\b(?:wandb login|add-authtoken)\s+(?:--\w+\s+)*{_WORD}", "wandb", "add-authtoken"),
    exact(
        rf"\b(?:sqlplus\s|thin:)(?:{_QUOTE})?[\w.]{{1,80}}/([^\s@\"'\\]{{1,200}})@",
        "sqlplus", "thin:",
    ),
    exact(r"--from-literal[=\s][\"']?[\w.-]{1,100}=([^\s\"'\\]{1,500})", "--from-literal"),
    exact(rf"--secret-(?:string|value|binary)[=\s]{_WORD}", "--secret-"),
    exact(rf"\bsecrets?\s+(?:set|create|add)\b{_REST}--(?:body|value)[=\s]{_WORD}", "secret"),
    exact(rf"\bSecureString\b{_REST}--value[=\s]{_WORD}", "SecureString"),
    exact(rf"--value[=\s]{_WORD}{_REST}\bSecureString\b", "--value"),
    exact(r"\bvault\s+(?:kv\s+)?(?:put|patch|write)\s+\S+((?:\s+[\w.-]+=\S+)+)", "vault"),
    exact(rf"::add-mask::{_WORD}", "::add-mask::"),
    exact(
        rf"\b(?:echo|printf)\s+(?:-\w+\s+)*(?:'%s(?:\\+n)?'\s+)?(?:{_QUOTE})?([^|\n]{{1,300}}?)"
        rf"(?:{_QUOTE})?\s*\|\s*(?:sudo\s+(?:-\w+\s+)*-S|chpasswd|passwd|[^\n|;&]{{1,100}}?"
        r"--(?:password-stdin|with-token|passphrase-fd))",
        "sudo", "passwd", "--password-stdin", "--with-token", "--passphrase-fd",
        before=460,
    ),
    # Tokens that are spelled as hashes and UUIDs are, next to what identifies their vendor.
    exact(r"\bAC[0-9a-f]{32}\b[\"',:\s\\]{1,6}([0-9a-f]{32})\b", HEXADECIMAL, before=2),
    exact(r"\b[012]/\d{10,20}(?:/\d{10,20})?:([0-9a-f]{32})\b", HEXADECIMAL, before=46),
    exact(
        r"\b(?:[a-z]{2,4}|[a-z]{2,8}_[0-9a-f]{16})[_-]([0-9a-f]{32}(?:[0-9a-f]{8})?)\b",
        HEXADECIMAL,
        before=26,
    ),
    exact(r"(?<![\w:.-])([0-9a-f]{24}:[0-9a-f]{64})\b", HEXADECIMAL),
    exact(
        r"(?<![\w.-])([0-9a-f]{32}\.(?=\w{0,15}[A-Z])[A-Za-z0-9]{16})(?![\w.])",
        HEXADECIMAL,
    ),
    exact(r"\bst\.[0-9a-f]{24}\.([0-9a-f]{32}(?:\.[0-9a-f]{32})?)\b", HEXADECIMAL, before=3),
    exact(rf"{_QUOTE}key{_QUOTE}: ?{_QUOTE}([0-9a-f]{{32}}){_QUOTE}", HEXADECIMAL, before=30),
    # Statements of databases.
    anycase(
        r"\bpassword\s*\(?\s*(\\*[\"'])(?!\s*[:=,])((?:(?!\1).){1,300}?)\1",
        "password",
        group=2, ahead=rf"password\s*\(?\s*{_QUOTE}",
    ),
    anycase(
        rf"\binsert\s+into\b[^()]{{1,120}}\([^()]{{0,300}}(?:{NAME})[^()]{{0,300}}\)\s*values\s*"
        r"\(([^()]{1,800})\)",
        "insert",
        ahead=r"insert\s+into\b",
    ),
    # Files of a kind.
    exact(
        r"(?:^|[\s\"'`→+|])[\w.*-]{1,100}:(?:\d{4,5}|\*):[\w.*-]{1,100}:[\w.*-]{1,100}:"
        r"([^\s\"'`\\:]{4,200})(?=[\s\"'`\\]|\Z)",
        PORT,
        before=102,
    ),
    anycase(
        rf"\bname:[ \t]{{1,3}}[\"']?[\w.-]{{0,60}}(?:{NAME})[\"']?[ \t]*\r?\n"
        r"[ \t]*value:[ \t]{1,3}[\"']?([^\s\"'#][^\r\n\"']{0,300})",
        "name:",
    ),
    exact(
        r"\{(?:S?SHA\d{0,3}|S?MD5|CRYPT|PBKDF2[\w-]*)\}([\w+/=.$,-]{16,})",
        "{SHA", "{SSHA", "{MD5}", "{SMD5}", "{CRYPT}", "{PBKDF2",
    ),
    exact(r"\bmachine\s+\S+.{0,200}?\bpassword\s+(\S+)", "machine"),
    exact(
        r"\b(?:TRUE|FALSE)\t[^\t\n]{1,200}\t(?:TRUE|FALSE)\t\d+\t[^\t\n]{1,200}\t([^\t\r\n]+)",
        "TRUE\t", "FALSE\t",
    ),
    exact(r"\bPrivate-Lines: \d+\r?\n((?:[A-Za-z0-9+/=]+\r?\n?)+)", "Private-Lines"),
    exact(
        r"BEGIN SSH2 ENCRYPTED PRIVATE KEY ----(.{1,20000}?)(?:---- END|\Z)",
        "BEGIN SSH2",
    ),
    exact(
        r"\bkind: Secret\b.{0,2000}?\b(?:d|stringD)ata:[^\n]*\n((?:[ \t]+[^\n]*\n?){1,100})",
        "kind: Secret",
    ),
    anycase(
        rf"(?:{NAME})"
        r"\"?:[ \t]*[|>][+-]?[^\n]{0,20}\n((?:[ \t]+\S[^\n]*(?:\n|\Z)){1,100})",
        *NAME_SIGNS,
        before=NAME_BEFORE, ahead=NAME_AHEAD + r"\"?:[ \t]*[|>]",
    ),
    anycase(
        rf"<[\w:.-]{{0,60}}(?:{NAME})(?:\s[^<>]{{0,100}})?>\s*"
        r"(?:<!\[cdata\[([^\]]{1,500})\]\]>|(?!\d+\s*<)([^<>\s][^<>]{0,500}))</",
        *NAME_SIGNS,
        group=LAST, before=60 + NAME_BEFORE, ahead=NAME_AHEAD + r"(?:\s[^<>]{0,100})?>",
        begin="<",
    ),
    anycase(rf"<key>[\w .-]*(?:{NAME})</key>\s*<string>([^<]{{1,500}})<", "<key>"),
    anycase(
        rf"(?:name|key)={_QUOTE}[\w .:-]*(?:{NAME}){_QUOTE}\s+value={_QUOTE}([^\"'\\]{{1,500}})",
        "name=", "key=",
        ahead=rf"(?:name|key)={_QUOTE}",
    ),
    anycase(
        rf"{_QUOTE}(?:id|name|label|key){_QUOTE}: ?{_QUOTE}[^\"'\n]{{0,200}}?"
        rf"(?:{NAME}|/secrets/[\w.-]{{1,100}}){_QUOTE}, ?"
        rf"(?:{_QUOTE}\w{{1,40}}{_QUOTE}: ?{_QUOTE}[^\"'\n]{{0,100}}{_QUOTE}, ?){{0,3}}"
        rf"{_QUOTE}value{_QUOTE}: ?{_QUOTE}([^\"'\\\n]{{1,500}})",
        *NAME_SIGNS, "/secrets/",
        before=230, ahead=rf"(?:{NAME_AHEAD}|/secrets/[\w.-]{{1,100}}){_QUOTE}, ?{_QUOTE}",
    ),
    anycase(
        rf"{_QUOTE}value{_QUOTE}: ?{_QUOTE}([^\"'\\\n]{{1,500}}){_QUOTE}, ?"
        rf"{_QUOTE}(?:id|name|label|key){_QUOTE}: ?{_QUOTE}[^\"'\n]{{0,200}}?(?:{NAME}){_QUOTE}",
        "value",
        before=8, ahead=rf"value{_QUOTE}: ?{_QUOTE}[^\"'\\\n]{{1,500}}{_QUOTE}, ?{_QUOTE}",
    ),
    anycase(
        r"\b(?:mnemonic|seed[ _-]phrase)\b[\"']?\s*[:=]\s*[\"']?([a-z]+(?: [a-z]+){5,23})",
        "mnemonic", "seed phrase", "seed-phrase", "seed_phrase",
    ),
    # Addresses.
    exact(
        r":(?:\\*/){2}[^\s/:@\"'\\]{1,200}:(?!\d{1,5}\\*/)([^\s@\"']{1,300})@(?=[\w-]+[./:])",
        ":/", ":\\",
    ),
    exact(
        r"[?&](?:code|sig|signature|sas)=([\w%~./+-]{16,})",
        *(f"{mark}{name}=" for mark in "?&" for name in ("code", "sig", "signature", "sas")),
    ),
    exact(
        r"(?:\\*/){2}[^\s\"'<>]{0,200}(?:webhook|hooks\.)[^\s\"'/\\]{0,60}\\*/([^\s\"'<>]{16,})",
        "webhook", "hooks.",
        before=210,
    ),
    # Sentences.
    anycase(
        r"\b(?:pass(?:word|phrase|code)|secret|token|(?:api|access|secret)[ -]key)\s+"
        r"(?:(?:is|was|of|to):?\s+)?(?:\\*[\"'`])?((?=\S{0,200}(?:\d|[^a-z\s\"'`]\w))\S{6,200})"
        r"(?<![\"'`.,;:\\])",
        "pass", "secret", "token", "key",
        before=7, ahead=r"(?:pass(?:word|phrase|code)|secret(?:[ -]key)?|token|key)\s",
    ),
    anycase(
        r"\b(?:key|secret|token|password)(?: \w+)? \[[^\]\n]{0,60}\]: (\S{8,})",
        "]: ",
        before=120, ahead=r"\]: \S{8}",
    ),
    exact(r"\bSSWS\s+([\w-]{20,})", "SSWS"),
)  # fmt: skip
