"""The shapes of vendors' tokens: how each begins, of which characters it is, and how many.

Facts from vendors' documents and from public rule sets, above all that of gitleaks, as of `DATED`.
"""

from collections.abc import Iterator

DATED = "2026-11-28"

_A = "[A-Za-z0-9]"
_L = "[a-z0-9]"
_U = "[A-Z0-9]"
_H = "[0-9a-f]"
_X = "[0-9a-fA-F]"
_W = r"\w"
_S = r"[\w-]"
_B = "[A-Za-z0-9+/]"
_D = r"[\w-]{20,}(?:\.[\w-]+){0,8}"
"""Words of the alphabet of addresses, with dots between them."""
_UUID = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_END = r"(?![\w-])"
_NUMBER = r"(?=[A-Za-z_-]{0,100}\d)"
"""With a digit: a name of several words, spelled with hyphens, mostly has none."""
_MIXED = r"(?=\w{0,60}\d)(?=\w{0,60}[A-Z])(?=\w{0,60}[a-z])"
"""With digits and letters of both cases, as no name is."""

_FOLLOWED = (
    # Hosts of code.
    ("ghp_ gho_ ghu_ ghr_", _A + "{30,255}"),
    ("ghs_", r"[\w-]{30,}(?:\.[\w-]+){0,2}"),
    ("github_pat_", _W + "{22,255}"),
    ("glpat- glptt- gldt- glrt- glrtr- glcbt- glft- glffct- gloas- glsoat- glimt- glagent- glwt-",
     _D),
    ("GR1348941", _S + "{20,}"),
    ("_gitlab_session=", _L + "{32}"),
    ("ATATT3 ATCTT3", r"[\w=-]{20,}"),
    ("ATBB BBDC- BBDC_", r"[\w=+/-]{20,}"),
    ("sgp_", f"(?:(?:{_X}{{16}}|local)_)?{_X}{{40}}"),
    ("slk_ sgd_", _X + "{64}"),
    ("sgamp_user_", r"[\w-]{40,}"),
    # Clouds.
    ("AKIA ASIA ABIA ACCA", _U + "{16}" + r"\b"),
    ("A3T", _U + "{17}" + r"\b"),
    ("ABSK", _B + "{100,}={0,2}"),
    ("bedrock-api-key-", r"[\w+/=-]{60,}"),
    ("LTAI", _A + "{12,24}" + r"\b"),
    ("AKID", _A + "{32,36}" + r"\b"),
    ("AKLT", r"[\w-]{36,64}={0,2}"),
    ("bce-v3/", r"ALTAK-[\w/-]{20,}"),
    ("AQVN", _S + "{35,38}"),
    ("t1.", r"[\w-]{20,}={0,2}\.[\w-]{80,90}={0,2}"),
    ("SCW", _U + "{17}" + r"\b"),
    ("DO00 DO80", _U + "{16,18}" + r"\b"),
    ("GOOG", "1E" + _U + "{56}|" + "1" + _A + "{20,57}" + r"\b"),
    ("AIza", r"[\w-]{35}"),
    ("AQ.", r"Ab[\w-]{20,}"),
    ("ya29.", r"[\w-]{20,}(?:\.[\w-]+){0,3}"),
    ("GOCSPX-", _S + "{20,}"),
    ("1//0", _S + "{20,}"),
    ("dop_v1_ doo_v1_ dor_v1_", _H + "{64}"),
    ("cfk_ cfut_ cfat_", _A + "{40,}"),
    ("v1.0-", _H + "{24}-" + _H + "{100,200}"),
    ("HRKU-", _D),
    ("fo1_", _S + "{40,}"),
    ("fm1a_ fm1r_ fm2_", r"[\w+/=-]{40,}"),
    ("rnd_", _A + "{28,}"),
    ("nfp_ nfc_ nfo_ nfu_ nfb_", _A + "{36,}"),
    ("vcp_ vci_ vca_ vcr_ vck_", _A + "{24,}"),
    ("tskey-", _D),
    ("sbp_", r"(?:oauth_|v0_)?" + _H + "{40}|" + _A + "{36,}"),
    ("sb_secret_", _MIXED + _S + "{22,}"),
    ("pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w=-]{20,}(?:\.[\w=-]+){0,3}"),
    ("napi_", _A + "{40,}"),
    ("xau_", _A + "{30,}"),
    ("mdb_sa_sk_", _S + "{30,}"),
    ("ddapp_ ddpat_ ddrat_ ddsak_", _A + "{30,}"),
    ("dapi dkea dose", _H + "{32}(?:-[0-9])?" + _END),
    ("cflt", _B + "{60}"),
    # Model vendors and what surrounds them.
    ("sk-ant-", _S + "{16,}"),
    ("sk-", "(?!ant-)" + _NUMBER + _S + "{20,}"),
    ("gsk_ xai- pplx-", _A + "{20,}"),
    ("r8_ hf_ api_org_", _A + "{30,}"),
    ("tgp_v1_ nvapi- csk- pcsk_ wandb_v1_ pylf_v1_ pylf_v2_", _D),
    ("lsv2_pt_ lsv2_sk_", _H + r"{32}(?:_" + _H + "{10})?|" + _S + "{20,}"),
    ("ls__", _H + "{32}"),
    ("fw_", _MIXED + _A + "{22,24}" + _END),
    ("jina_", _A + "{50,}"),
    ("tvly-", _S + "{28,}"),
    ("fc-", _H + "{32}" + _END),
    ("e2b_", _H + "{40}"),
    ("rpa_", _U + "{30,}" + _L + "{0,10}"),
    ("pa-", _MIXED + _S + "{43}" + _END),
    ("ak- as-", _MIXED + _A + "{22}" + _END),
    ("crsr_ key_", _H + "{60,}"),
    ("fk-", _MIXED + _S + "{30,}"),
    ("ctx7sk-", _UUID),
    ("llx-", _A + "{40,}"),
    ("nk-", _S + "{43}" + _END),
    ("mxb_ alcht_ vtwn_ dtn_ persona_", _A + "{28,}"),
    ("m0-", _A + "{40}" + _END),
    ("apify_api_", _A + "{30,}"),
    ("bb_live_ bb_test_", _MIXED + _S + "{20,}"),
    ("BSA", _MIXED + _S + "{24,28}" + _END),
    ("signkey-prod- signkey-test- signkey-branch-", _H + "{32,}"),
    ("tr_dev_ tr_prod_ tr_stg_ tr_pat_", _A + "{20,}"),
    ("unkey_", _A + "{20,}"),
    ("fal_", _MIXED + _S + "{30,}"),
    # Messages and social networks.
    ("xapp- xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xwfp-", r"[\w%-]{11,}"),
    ("xoxe.xoxb- xoxe.xoxp-", _S + "{20,}"),
    *((f"https://hooks.slack.com/{kind}/", r"[\w/-]{20,}")
      for kind in ("services", "workflows", "triggers")),
    ("EAACEdEose0cBA", _A + "{20,}"),
    ("EAA", "[A-Z](?=.{0,60}[0-9])" + _S + "{50,400}" + _END),
    ("MT Mj Mz ND NT Nj Nz OD OT", r"[\w-]{22,26}\.[\w-]{6}\.[\w-]{27,40}" + _END),
    ("AAAAAAAAAAAAAAAAAAAAA", r"[A-Za-z0-9%]{60,120}" + _END),
    ("WPL_AP1.", _A + "{16,}" + r"(?:\.[\w=-]+){0,2}"),
    ("sl.", _S + "{100,}"),
    ("sl.u.", _S + "{40,}"),
    # Mail and telephone.
    ("SG.", r"[\w-]{16,}\.[\w-]{16,}"),
    ("xkeysib- xsmtpsib-", _H + "{40,}-" + _A + "{12,}|" + _S + "{40,}"),
    ("key-", _H + "{32}"),
    ("pubkey-", _H + "{32}"),
    ("SK AC", _H + "{32}" + r"\b"),
    ("re_", _A + "{8}_" + _A + "{20,}"),
    ("md-", _MIXED + _S + "{22}" + _END),
    # Payment and trade.
    ("sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ sk_sbox_ ek_live_ ek_test_",
     _A + "{16,}"),
    ("sk_org_live_ sk_org_test_", _A + "{16,}"),
    ("sk_", "(?:[a-z]{2,8}_){0,2}(?=[A-Za-z]{0,60}\\d)" + _A + "{20,}"),
    ("whsec_", r"[A-Za-z0-9+/=]{20,}"),
    ("pk_", r"\d{5,12}_" + _U + "{32}|" + _H + "{34}" + _END),
    ("rzp_live_ rzp_test_", _A + "{14,}"),
    ("live_ test_ sandbox_", f"(?:{_H}{{35}}|pub_{_H}{{31}}|{_MIXED}{_A}{{30,40}}){_END}"),
    ("sq0csp- sq0atp- sq0idp-", _S + "{20,}"),
    ("access_token$production$ access_token$sandbox$", r"[0-9a-z]{16}\$" + _H + "{32}"),
    ("access-sandbox- access-development- access-production-", _UUID),
    ("FLWSECK- FLWSECK_TEST- FLWPUBK- FLWPUBK_TEST-", _A + "{12,40}(?:-X)?"),
    ("duffel_live_ duffel_test_", r"[\w=-]{40,}"),
    ("EZAK EZTK", _A + "{50,60}" + _END),
    ("shippo_live_ shippo_test_", _X + "{40}"),
    ("shpat_ shpca_ shppa_ shpss_ shptka_ shpit_ shpua_", _X + "{32}"),
    # Packages and builds.
    ("npm_", _A + "{36}"),
    ("pypi-", _S + "{50,}"),
    ("rubygems_", _H + "{48}"),
    ("oy2", _L + "{43}" + _END),
    ("cio", _MIXED + _A + "{32}" + _END),
    ("dckr_pat_ dckr_oat_", _S + "{20,}"),
    ("packagist_ack_ packagist_out_ packagist_uut_", _H + "{40,}"),
    ("CLOJARS_", _X + "{40,}|" + _L + "{60}"),
    ("AKCp", _A + "{60,80}" + _END),
    ("cmVmd", _A + "{50,70}" + _END),
    ("CCIPAT_ CCIPRJ_", _D),
    ("bkua_ bkaj_ bkat_ bkct_ bkpi_ bkgs_", _A + "{28,}"),
    ("sqp_ sqa_ squ_", _H + "{40}"),
    ("snyk_uat. snyk_sat.", r"[\w-]{6,}(?:\.[\w-]{6,}){1,4}"),
    ("pul-", _H + "{40}"),
    ("pnu_ pnb_", _A + "{36}"),
    ("ico-", _A + "{32}" + _END),
    ("mka_ depot_project_ depot_org_ depot_user_ nsct_", _S + "{30,}"),
    ("dbtc_ dbtu_", _S + "{30,}"),
    ("tk-us-", _S + "{48}"),
    ("API-", _U + "{25,32}" + _END),
    ("sm_aat_ sm_pat_ sm_sat_", _A + "{16}"),
    ("pat. sat.", r"[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}"),
    # Stores of secrets, and keys of ciphers.
    ("hvs. hvb. hvr.", _S + "{24,}"),
    ("s. b.", r"(?=[A-Za-z]{0,23}\d)(?=\w{0,23}[A-Z])" + _A + "{24}" + _END),
    ("dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", r"(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,44}"),
    ("ops_eyJ", r"[\w+/-]{60,}={0,3}"),
    ("A3-", r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    ("AGE-SECRET-KEY-1", r"[A-Z0-9]{40,}"),
    ("AGE-SECRET-KEY-PQ-1", r"[A-Z0-9]{40,}"),
    ("sha256~", _S + "{43}"),
    ("ory_at_ ory_st_ ory_pat_ ory_rt_ ory_apikey_", _D),
    ("secret-live- secret-test-", _MIXED + r"[\w-]{20,}=*"),
    ("dnkey-", r"[\w=-]{26}-[\w=-]{52}"),
    # Watching.
    ("glsa_", _A + "{32}_" + _X + "{8}|" + _A + "{32,}"),
    ("glc_", r"[A-Za-z0-9+/]{32,}={0,3}"),
    ("eyJrIjoi", _A + "{60,}={0,3}"),
    ("NRAK- NRII- NRJS- NRRA- NRAA- NRIQ- NRAL-", _S + "{19,}"),
    ("sntrys_ sntryu_ sntrya_ sntryi_", r"[\w+/=-]{20,}"),
    ("hcaik_ hcbik_ hcamk_ hcalk_ hcxik_ hcxlk_", _A + "{24,}"),
    ("dt0c01. dt0s01. dt0s02. dt0s06. dt0s16.", _A + r"{8,24}(?:\.[A-Za-z0-9]{24,64})?"),
    ("phx_", _A + "{32,}"),
    ("xaat- xapt-", _UUID),
    ("sdk- mob- api-", _UUID),
    # Work together.
    ("lin_api_ lin_oauth_", _A + "{30,}"),
    ("ntn_", _A + "{30,}"),
    ("secret_", r"(?=\w{0,60}\d)(?=\w{0,60}[A-Z])[A-Za-z0-9]{43}\b"),
    ("figd_ figo_ figor_ figoh_ figu_", r"[\w-]{30,}"),
    ("PMAK- PMAT-", _H + "{24}-" + _H + "{34}|" + _U + "{26}|" + _S + "{20,}"),
    ("pat", _A + r"{14}\." + _H + "{64}"),
    ("CFPAT-", _S + "{40,}"),
    ("tfp_", r"[\w.=-]{50,}"),
    ("rdme_", _L + "{60,}"),
    ("fio-u-", r"[\w=-]{60,}"),
    ("p8e-", _L + "{32}" + _END),
    ("aio_", _A + "{28}" + _END),
    ("s-s4t2ud- s-s4t2af-", _H + "{64}"),
    ("4b1d", _A + "{38}" + _END),
    ("b_", _MIXED + r"[\w=-]{44}" + _END),
    ("plane_api_ n8n_api_ retool_ rootly_ inc_", _NUMBER + _A + "{32,}"),
    ("BBFF- BBUS-", _A + "{30,}"),
    ("VF.", rf"(?:(?:DM|WS)\.)?{_X}{{24}}\.{_A}{{16}}"),
    ("api_live. api_sandbox.", r"[\w-]{8,}\.[\w-]{20,}"),
    ("api_live_ api_test_", _MIXED + _S + "{20,}"),
    ("shltm_ rg_v1_ whop_ fsq3", _MIXED + _S + "{28,}"),
)  # fmt: skip
"""Beginnings of tokens, and what follows each of them.

A beginning of two or three common letters needs all of a form, with its end.
"""

SAID = r"[a-z][a-z0-9]{1,15}[_-](?:[a-z0-9]{1,10}[_-]){0,2}"
"""The name of a vendor before a word that says that a token follows."""
SAYING = ("pat", "key", "sk", "secret", "token", "tok", "tkn", "live", "prod", "test", "api",
          "apikey", "oauth", "sat", "svc", "rk", "cli")  # fmt: skip


def followed() -> Iterator[tuple[str, str]]:
    """Each beginning of a token with the pattern of what follows it."""
    for signs, body in _FOLLOWED:
        for sign in signs.split():
            yield sign, body
