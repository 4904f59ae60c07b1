"""The vocabulary of the comparison: words that may vary, that mean the same, and that must never be mixed up.

What is in no table has to occur in both texts, so a missing word costs a recognised rewording and never a fact.
"""

import re

NEGATIONS = frozenset(
    """not no never avoid none nobody nothing neither nor cannot without nicht kein keine keinen keinem keiner keines
    nie niemals ohne weder pas jamais aucun aucune sans nunca sin ningún ninguna jamás non não niet geen nooit nie
    bez""".split()
)
# Followed by what is not to be taken: "X instead of Y", "X statt Y".
CONTRASTS = frozenset({"statt", "anstatt", "anstelle"})
CONTRAST_PAIRS = frozenset({("instead", "of"), ("rather", "than"), ("au", "lieu"), ("en", "lugar"), ("in", "favour")})
PREFERENCES = frozenset("choose chose chosen pick picked prefer prefers preferred favour favor selected".split())

MODALS = {
    word: key
    for key, words in {
        "mod:must": "must shall doit doivent devons faut debe deben deve devono moet moeten mandatory obligatory",
        "mod:need": """need needs needed require requires required requirement muss müssen musst müsste braucht
            brauchen benötigt benötigen erfordert necessary""",
        "mod:should": "should ought soll sollen sollte sollten devrait devraient debería deberían recommended",
        "mod:may": """may might can could kann können könnte könnten darf dürfen dürfte peut peuvent puede pueden può
            possono optional optionally""",
    }.items()
    for word in words.split()
}

QUANTIFIERS = {
    word: key
    for key, words in {
        "qua:only": "only solely exclusively nur ausschließlich seulement uniquement sólo solamente",
        "qua:some": "some several certain few einige manche mehrere wenige quelques certains algunos algunas varios",
        "qua:many": "many viele plusieurs muchos",
        "qua:most": "most mostly meiste meisten plupart mayoría",
        "qua:any": "any anyone anybody irgendein beliebig beliebige",
        "qua:atleast": ">= mindestens wenigstens minimum ≥",
        "qua:atmost": "<= höchstens maximal maximum ≤",
        "qua:more": "> exceeds exceed exceeding",
        "qua:less": "<",
        "qua:exactly": "exactly precisely genau exakt",
        "qua:both": "both beide beiden",
        "qua:either": "either entweder",
        "qua:except": "except excluding außer ausgenommen sauf excepto",
        "qua:sometimes": "sometimes occasionally manchmal gelegentlich parfois",
        "qua:usually": "usually normally typically often frequently meist meistens oft",
        "qua:rarely": "rarely seldom selten",
        "qua:unless": "unless otherwise sonst sofern",
    }.items()
    for word in words.split()
}
QUANTIFIER_PHRASES = {
    ("at", "least"): "qua:atleast",
    ("no", "less"): "qua:atleast",
    ("no", "fewer"): "qua:atleast",
    ("at", "most"): "qua:atmost",
    ("up", "to"): "qua:atmost",
    ("no", "more"): "qua:atmost",
    ("bis", "zu"): "qua:atmost",
    ("more", "than"): "qua:more",
    ("greater", "than"): "qua:more",
    ("mehr", "als"): "qua:more",
    **{(word, "than"): "qua:more" for word in ("larger", "bigger", "longer", "higher")},
    **{(word, "than"): "qua:less" for word in ("smaller", "shorter", "lower")},
    **{("or", word): "qua:atleast" for word in ("more", "newer", "later", "higher", "above", "greater")},
    **{("or", word): "qua:atmost" for word in ("less", "older", "earlier", "lower", "below", "fewer")},
    ("less", "than"): "qua:less",
    ("fewer", "than"): "qua:less",
    ("weniger", "als"): "qua:less",
}

ENVIRONMENTS = {
    word: key
    for key, words in {
        "env:prod": "prod production prd produktion produktiv",
        "env:staging": "staging stage stg",
        "env:dev": "dev development entwicklung",
        "env:qa": "qa uat",
        "env:sandbox": "sandbox",
        "env:preview": "preview",
        "env:canary": "canary",
        "env:local": "local locally localhost lokal",
        "env:remote": "remote remotely",
        "env:ci": "ci",
        "env:macos": "macos osx mac",
        "env:windows": "windows",
        "env:linux": "linux",
        "env:ios": "ios iphone",
        "env:android": "android",
        "env:arm": "arm arm64 aarch64",
        "env:x86": "x86 x86_64 amd64 intel",
        "env:eu": "eu europe",
        "env:us": "usa",
        "env:apac": "apac",
        "env:aws": "aws",
        "env:gcp": "gcp",
        "env:azure": "azure",
        "env:frontend": "frontend",
        "env:backend": "backend",
    }.items()
    for word in words.split()
}
# "us" in lower case is a pronoun.
ENVIRONMENTS_BY_CASE = {"US": "env:us"}

_MONTHS = """january jan januar janvier enero|february feb februar février febrero|march mar märz mars marzo
    |april apr avril abril|mai mayo|june jun juni juin junio|july jul juli juillet julio
    |august aug août agosto|september sep sept septembre septiembre|october oct oktober octobre octubre
    |november nov novembre noviembre|december dec dezember dez décembre diciembre"""
MONTHS = {word: number for number, words in enumerate(_MONTHS.split("|"), 1) for word in words.split()}
# These are months only beside a number, since they are also words.
MONTHS_BESIDE_NUMBERS = {**MONTHS, "may": 5}
DOUBTFUL_MONTHS = frozenset({"mar", "march", "mars", "dec", "sept", "sep", "jan", "jun", "apr", "may"})

_DAYS = """monday mon montag montags lundi lunes|tuesday tue tues dienstag dienstags mardi martes
    |wednesday wed mittwoch mittwochs mercredi miércoles|thursday thu thurs donnerstag donnerstags jeudi jueves
    |friday fri freitag freitags vendredi viernes|saturday sat samstag samstags sonnabend samedi sábado
    |sunday sun sonntag sonntags dimanche domingo|weekend weekends wochenende"""
WEEKDAYS = {
    form: f"day:{n}"
    for n, words in enumerate(_DAYS.split("|"), 1)
    for word in words.split()
    for form in (word, word + "s")
}
FREQUENCIES = {
    word: key
    for key, words in {
        "frq:hour": "hourly stündlich",
        "frq:day": "daily täglich",
        "frq:night": "nightly nachts",
        "frq:week": "weekly wöchentlich",
        "frq:month": "monthly monatlich",
        "frq:quarter": "quarterly vierteljährlich",
        "frq:year": "yearly annually annual jährlich",
    }.items()
    for word in words.split()
}
FREQUENCY_UNITS = {
    "hour": "hour",
    "day": "day",
    "night": "night",
    "week": "week",
    "month": "month",
    "quarter": "quarter",
    "year": "year",
    "stunde": "hour",
    "tag": "day",
    "nacht": "night",
    "woche": "week",
    "monat": "month",
    "jahr": "year",
}
ZONES = frozenset("utc gmt cet cest est edt pst pdt bst jst ist".split())

# Each is an axis: the words of one pole, a bar, the words of the other, a semicolon.
_AXES = """
enable enabled enabling activate activated aktiv aktiviert aktivieren | disable disabled off deactivate deactivated
    deaktiviert deaktivieren inactive ;
before prior previously vor vorher bevor avant antes | after afterwards nach nachher nachdem après después ;
allow allowed permit permitted permits erlaubt erlauben | forbid forbidden prohibit prohibited deny denied disallow
    disallowed disallows ban banned verboten verbieten ;
increase raise bump grow erhöhen erhöht | decrease reduce lower shrink senken verringern reduzieren ;
accept accepts accepted | reject decline refuse ;
include includes included including | exclude excludes omit ;
start begin launch starten beginnt beginnen | stop end finish halt stoppen endet enden ;
open opens opened opening öffnen | close closed closes closing schließen ;
public öffentlich | private privat internal intern ;
synchronous synchronously sync synchron | asynchronous asynchronously async asynchron ;
ascending aufsteigend | descending absteigend ;
newest latest neueste neuesten | oldest earliest älteste ältesten ;
newer later neuer | older earlier älter ;
incoming inbound ingress eingehend | outgoing outbound egress ausgehend ;
upload uploads hochladen | download downloads herunterladen ;
above over über | below unter ;
first erste erster erstes | last letzte letzter letztes ;
success succeed successful | failure fail fails failed ;
add append insert hinzufügen | remove delete drop erase löschen entfernen ;
lock locked | unlock unlocked ;
encrypt encrypted | decrypt decrypted unencrypted ;
read reads reading lesen liest | write writes writing written wrote schreiben schreibt geschrieben ;
manual manually manuell | automatic automatically automated automatisch ;
safe | unsafe dangerous ;
true wahr | false falsch ;
up | down ;
fast faster quick quicker schnell schneller | slow slower langsam langsamer ;
high higher hoch höher | low niedrig niedriger ;
stable stabil | unstable instabil ;
online | offline ;
valid gültig | invalid ungültig ;
internal intern | external extern ;
merge merged | split ;
push | pull ;
primary master | replica secondary standby ;
always immer toujours siempre | unlikely ;
until bis | since seit ;
optional | mandatory ;
temporary temporär | permanent dauerhaft ;
install | uninstall ;
mount | unmount ;
subscribe | unsubscribe ;
keep behalten | discard skip ignore ;
minimum minimal | maximum maximal ;
new neu neue neuer neues | old alt alte alter altes ;
required | unneeded ;
supported | unsupported ;
left | right ;
top oben | bottom unten ;
forward vorwärts | backward backwards rückwärts ;
client | server ;
user | admin ;
"""


def _axes() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    lines = (line.split("|") for line in _AXES.split(";") if line.strip())
    return tuple((frozenset(one.split()), frozenset(other.split())) for one, other in lines)


ANTONYMS = _axes()

LIGHT = frozenset(
    """a an the this that these those there here it its itself they them their theirs he she his her we us our ours you
    your yours i my me who whom whose which what is are was were be been being am do does did done has have had
    having will would get gets got getting gotten let lets of in on at to for with by as into onto via through
    from and or but so also then than thus hence because since due when whenever while if where how please simply
    basically currently actually really very quite about around approximately roughly ca circa approx already
    still such thing things under way case cases etc ones follow follows followed
    retain retains retained retention preserve preserves preserved during within inside among between all always each
    every whole per
    keep keeps kept keeping hold holds held holding store stores stored storing contain contains contained carry
    carries carried comprise become becomes became set sets see found find finds sit sits stay stays choose
    chooses chose chosen choosing pick picks picked select selects selected opt opted occur occurs belong belongs
    defined place places placed use uses used using usage utilise utilize means mean exist exists lie lies live
    lives living located reside resides happen happens consist consists pls btw take takes taken make makes made
    making go goes come comes perform performs performed der die das den dem des ein eine einen einem einer eines
    und oder aber ist sind war waren sein wird werden wurde wurden worden hat haben hatte wir ihr sie er es man
    ich unser unsere unseren unserem sich mit von im in am an auf für zu zum zur bei beim aus als wie dass daß
    weil da denn wenn dann durch um pro je jede jeder jedes jeden jedem alle allen aller alles etwa circa ungefähr
    bitte immer auch schon noch so dort hier liegt liegen beträgt gilt verwenden verwendet verwende benutzen
    benutzt nutzen nutzt nutze dieser diese dieses le la les un une des du de et ou est sont être ont nous vous
    ils elles il elle ne que qui dans sur pour par avec au aux ce cette ces se chaque tous toutes tout toute
    pendant el los las una unos unas es son ser está están nos ellos ellas se en con por para del al que cada
    todos todas""".split()
)
# These introduce an entry ("Note: ...") and say nothing only there.
LABELS = frozenset(
    """note notice hint tip reminder rule convention decision fact gotcha preference procedure event memo fyi title
    hinweis""".split()
)
METHODS = frozenset("GET POST PUT PATCH DELETE HEAD OPTIONS".split())
# Light verbs that make a command at the beginning of a clause; for other verbs it takes the same verb in both texts.
LIGHT_IMPERATIVES = frozenset("use set keep make take put choose pick store hold find verwende nutze".split())
# Words of one line say the same where facts about a team's work are concerned.
_SAME = """
save retain persist speichern gespeichert aufbewahren
db database datenbank
config configuration configure configured konfiguration setting settings
infra infrastructure
repo repository
doc docs documentation document
env environment
app application
k8s kubernetes
postgres postgresql
js javascript
ts typescript
cert certificate
dir directory folder
param parameter
msg message
req request
resp response answer reply
err error
id identifier
max maximum
increase raise bump
decrease reduce lower
reject decline refuse
ask contact
big large
need require
restart reboot
crash crashed
run execute
rebuild rebuilding
send sent
build built
write wrote written
approve approval approved
deploy deployment
own owner ownership
maintain maintainer
remove removal
renew renewal
retry retries retried
define definition
fix repair
also too
retain retention
bill billing billed
change modify alter modification switch
create creation
generate generation produce
validate validation
migrate migration
rotate rotation
install installation
encrypt encryption
publish publication
edit hand-edit
quick fast
freeze frozen froze
break broke broken
lose lost
hang hung
late later
new newer
require requirement
show display
clear flush purge empty emptied
ensure guarantee
error failure
job task
silent silently
parallel concurrently concurrent
automatic automatically automated
attempt try tries tried
expire expiry expiration
notify alert ping
fetch retrieve obtain
pr pull-request
credential creds
permission perms
variable var
verify check
respond answer
exit quit terminate
kill killed
sleep slept
know known
show shown
lead led
pay paid
begin began begun
speak spoke spoken
grow grew grown
steal stolen
drive driven drove
overwrite overwrote overwritten
forget forgot forgotten
hide hid hidden
catch caught
bind bound
spend spent
teach taught
throw threw thrown
wipe clean erase
"""

# Light verbs which nevertheless tell who does what to whom, so that they count for the order of the words around them.
RELATIONS = {
    form: f"~{line.split()[0]}"
    for line in """use uses used using|contain contains contained|have has had|keep keeps kept|hold holds held
        |store stores stored|take takes taken|make makes made|get gets got|carry carries carried|belong belongs
        |choose chooses chose chosen
    |find finds found|follow follows followed|become becomes became|set sets|go goes|verwenden verwendet|nutzen
    nutzt""".split("|")
    for form in line.split()
}

# A word that may be left out, as in "the ledger-7 group" beside "ledger-7"; but never replaced by another of them.
WEAK = """data channel field size step job message code error file time part connection amount feature service value
    name number entry item system tool process instance component module request response setting option content
    information info detail result type kind run add command script repo project package version bucket table
    topic queue flag branch column region endpoint page section new include team group person people format list
    level state status period duration length currently total overall note label like ensure handle try want help
    provide apply work please silently call get do show via always anyway further"""


_NO_PLURALS = frozenset({"https", "news", "customs", "means"})


def stem(word: str) -> str:
    """Return an English word without its inflection; it is a key, not always a word."""
    if len(word) < 4 or word in _NO_PLURALS:
        return word
    word = _singular(word.removesuffix("'s").removesuffix("'"))
    for ending in ("ing", "ed"):
        if word.endswith(ending) and re.search(r"[aeiouy]", word[: -len(ending)]):
            word = _restored(word[: -len(ending)])
            break
    if word.endswith("ly") and len(word) > 6:
        word = word[:-2]
    if word.endswith(("tion", "sion")) and len(word) > 7 and word != "exception":
        word = word[:-3]
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "zes", "sses")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _restored(root: str) -> str:
    """Undo what the ending did: "runn" to "run", "nam" to "name"."""
    if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz":
        return root[:-1]
    return root + "e" if re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", root) else root


def stem_romance(word: str) -> str:
    """Return a French or Spanish word without the commonest endings of its inflection."""
    for ending in ("ées", "és", "ée", "é", "er", "es", "as", "os", "e", "a", "o", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def stem_german(word: str) -> str:
    """Return a German word without the commonest endings of its inflection."""
    for ending in ("en", "em", "er", "es", "e", "n", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def _synonyms() -> dict[str, str]:
    return {
        form: line.split()[0]
        for line in reversed(_SAME.strip().splitlines())
        for word in line.split()
        for form in (word, stem(word))
    }


SYNONYMS = _synonyms()


def _fixed() -> dict[str, str]:
    """Words whose key is the same wherever they stand; what is named first wins."""
    poles = {
        form: f"pole:{axis}:{sign}"
        for axis, sides in reversed(tuple(enumerate(ANTONYMS)))
        for sign, forms in zip("+-", sides, strict=True)
        for word in forms
        for form in (stem(word), word)
    }
    zones = {zone: f"zone:{zone}" for zone in ZONES}
    return {
        **poles,
        **zones,
        **FREQUENCIES,
        **WEEKDAYS,
        **ENVIRONMENTS,
        **QUANTIFIERS,
        "noon": "time:12:00",
        "midnight": "time:00:00",
    }


FIXED = _fixed()
WEAK_KEYS = frozenset(
    FIXED.get(word) or f"word:{SYNONYMS.get(word) or SYNONYMS.get(stem(word)) or stem(word)}" for word in WEAK.split()
)
