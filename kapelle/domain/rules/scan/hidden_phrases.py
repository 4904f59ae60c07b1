"""The phrases with which text is aimed at models, in lower case: tables only, `hidden` applies them.

Every phrase is found by its first letters, so that a text without them costs next to nothing.
"""

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A verb that tells a reader to drop its instructions, which instructions, and what they are called."""

    stems: tuple[str, ...]
    verb: re.Pattern[str]
    which: re.Pattern[str]
    called: re.Pattern[str]
    # Languages that put the verb last.
    object_first: bool = False


def _command(stems: str, verb: str, which: str, called: str, *, object_first: bool = False) -> Command:
    return Command(
        stems=tuple(stems.split()),
        verb=re.compile(rf"(?:{verb})(?!\w)" if stems[0] < "\u2e80" else verb),
        which=re.compile(which),
        called=re.compile(called),
        object_first=object_first,
    )


_ENGLISH: Final = _command(
    "ignore disregard forget override bypass overlook do don stop never no",
    r"ignore|disregard|forget|override|bypass|overlook|(?:do not|don't|stop|never) follow(?:ing)?|no attention to",
    r"\b(?:previous|previously|prior|above|earlier|preceding|foregoing|before|you|your|system|original|initial"
    r"|developer|safety|hidden)\b"
    r"|\b(?:all|any|every|these|those)\b.*\b(?:instructions?|prompts?|directives?|guidelines)\b",
    r"\b(?:instructions?|prompts?|directives?|directions|guidelines?|guardrails?|rules|orders|commands"
    r"|constraints|programming|training"
    r"|told|everything|safety|context)\b",
)
_LATIN: Final = (
    _command(
        "ignoriere ignorier ignoriert ignorieren vergiss vergesst missachte",
        r"ignoriere?|ignoriert|ignorieren sie|vergiss|vergesst|missachte",
        r"\b(?:vorherig|bisherig|vorig|obig|früher|vorangegangen|all|dein|system|jeglich)",
        r"anweisung|instruktion|befehl|regeln|vorgaben|prompt",
    ),
    _command(
        "ignore ignorez ignorer oublie oubliez ne",
        r"ignore[rz]?|oublie[rz]?|ne tiens pas compte|ne tenez pas compte",
        r"précédent|antérieur|ci-dessus|\b(?:toutes|tes|vos) |système",
        r"\b(?:instructions?|consignes?|directives?|règles|ordres)\b",
    ),
    _command(
        "ignora ignore ignorad olvida olvide caso esqueça esquece desconsidere",
        r"ignora|ignore|ignorad|olvida|olvide|caso omiso|esqueça|esquece|desconsidere",
        r"\b(?:anterior|previa|previo|prévia|arriba|acima|tod[oa]s|tus|sus|suas|sistema)",
        r"instruccion|instrucción|indicacion|órdenes|directrices|reglas|instruç|ordens|regras",
    ),
    _command(
        "ignora ignorate ignori dimentica dimenticate",
        r"ignora|ignorate|ignori|dimentica|dimenticate",
        r"\b(?:precedent|anterior|sopra|tutt|tue|sistema)",
        r"istruzion|direttive|regole|comandi|prompt",
    ),
    _command(
        "negeer vergeet",
        r"negeer|vergeet",
        r"\b(?:vorige|eerdere|voorgaande|bovenstaande|alle|jouw|systeem)",
        r"instructie|aanwijzing|opdracht|regels|prompt",
    ),
    _command(
        "ignoruj zignoruj pomiń zapomnij",
        r"z?ignoruj|pomiń|zapomnij",
        r"\b(?:poprzedni|wcześniejsz|powyższ|wszystki|swoj|system)",
        r"instrukcj|polece|zasad|wytyczn",
    ),
    _command(
        "ignorera bortse ignorer glem glöm",
        r"ignorera|bortse från|ignorer|glem|glöm",
        r"\b(?:tidigare|föregående|ovanstående|alla|dina|tidligere|alle|dine)",
        r"instruktion|instruks|anvisning|regler|order",
    ),
    _command(
        "yok unut dikkate",
        r"yok say|unut|dikkate alma",
        r"önceki|yukarıdaki|tüm|bütün",
        r"talimat|komut|kural",
        object_first=True,
    ),
)
_OTHERS: Final = (
    _command(
        "игнорируй игнорируйте проигнорируй проигнорируйте забудь забудьте ігноруй ігноруйте",
        r"(?:про)?игнорируй(?:те)?|забудь(?:те)?|ігноруй(?:те)?",
        r"предыдущ|прошл|все|всё|свои|систем|попередн|усі|всі",
        r"инструкц|указани|команд|правил|інструкц|вказівк",
    ),
    _command(
        "忽略 无视 無視 忘记 忘記",
        r"忽略|无视|無視|忘记|忘記",
        r"之前|先前|以上|上述|前面|所有|全部|系统|系統",
        r"指令|指示|提示|说明|說明|规则|規則|命令",
    ),
    _command(
        "無視 忘れ",
        r"無視|忘れ",
        r"以前|これまで|前の|上記|全て|すべて|システム",
        r"指示|命令|プロンプト|ルール",
        object_first=True,
    ),
    _command(
        "무시 잊어", r"무시|잊어", r"이전|위의|모든|기존|시스템|앞선", r"지시|명령|프롬프트|규칙", object_first=True
    ),
    _command("تجاهل انس", r"تجاهل|انس", r"السابق|أعلاه|جميع|كل", r"تعليمات|أوامر|توجيهات"),
    _command("अनदेखा नज़रअंदाज़ भूल", r"अनदेखा|नज़रअंदाज़|भूल", r"पिछल|सभी|ऊपर|पहले", r"निर्देश|आदेश", object_first=True),
)

# By the word that each begins with.
COMMANDS: Final[dict[str, tuple[Command, ...]]] = {
    word: tuple(command for command in (_ENGLISH, *_LATIN, *_OTHERS) if word in command.stems)
    for command in (_ENGLISH, *_LATIN, *_OTHERS)
    for word in command.stems
}
# Scripts that glue particles to words, or write none apart: found anywhere.
UNSPACED_COMMANDS: Final[tuple[tuple[str, Command], ...]] = tuple(
    (word, command) for command in _OTHERS for word in command.stems if not "\u0400" <= word[0] <= "\u04ff"
)

_MODEL: Final = (
    r"(?:ai|llm|a\.i\.|language model|chat ?bot|coding agent|ai agent|ai assistant|assistant|agent|model"
    r"|claude|chatgpt|gpt|copilot|gemini)s?"
)
_TOKENS: Final = (
    r"im_start|im_end|im_sep|system|user|assistant|endoftext|end_of_text|begin_of_text|eot_id|eom_id"
    r"|start_header_id|end_header_id|end|fim_\w+"
)
_HIDDEN_RULES: Final = (
    r"(?:reveal|print|show|repeat|output|leak|expose|disclose|display|tell me|send|dump) (?:me )?(?:all (?:of )?)?your "
    r"(?:system|hidden|initial|original|secret|full|internal) ?(?:prompt|instructions?|rules|message|configuration)"
)
_SILENCE: Final = (
    r"(?:do not|don't|never) (?:tell|inform|alert|notify|mention (?:this|it|any of this) to|reveal (?:this"
    r"|it) to|show (?:this|it) to|warn)"
    r" the (?:user|human|operator|developer|reviewer)"
)
_NEW_SELF: Final = (
    r"you are now (?:an?\b(?! (?:member|owner|maintainer|collaborator|contributor|admin of))|in (?:developer"
    r"|debug|admin|god|dan|maintenance|root"
    r"|unrestricted)|the (?:system|admin|root|assistant|ai)|acting|playing|unrestricted|free (?:from|of)"
    r"|jailbroken|dan\b|my\b"
    r"|no longer (?:bound|an?|subject|restricted)|called|named|operating)"
)

# First letters (several may share a phrase), and the phrase from there on.
_ALL: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (needle, re.compile(phrase))
    for needles, phrase in (
        ("<|", rf"<\|(?:{_TOKENS})\|>"),
        ("[inst],[/inst]", r"\[/?inst\]"),
        ("<<sys,<</sys", r"<</?sys>>"),
        ("<system,</system", r"</?system(?:[-_](?:prompt|reminder|message|instructions?))?>"),
        ("<assistant>", r"<assistant>"),
        ("system,systemprompt", r"system(?:[ _-]?prompt(?!s (?:the|for|you|a|users?)\b)|[ _-]message:|[ _-]override)"),
        ("system", r"system(?:\*\*)?:\s{1,3}(?:you|your|ignore|the (?:assistant|model|user))"),
        ('"role"', r"\"role\"\s{0,4}:\s{0,4}\"(?:system|developer)\""),
        ("# instruction,# system instruction,# new instruction", r"# ?(?:system |new )?instructions?:"),
        ("new instruction,new system instruction", r"new (?:system )?instructions?:"),
        ("\nhuman:", r"\nhuman:[^\n]{0,400}\n{1,2}\s{0,3}assistant:"),
        ("you are now", _NEW_SELF),
        ("you are no longer", r"you are no longer (?:bound|an?\b|subject|restricted|required to follow)"),
        ("from now on", r"from now on,? (?:you|your|always|respond|answer|act|ignore)\b"),
        ("pretend", r"pretend (?:to be|(?:that )?you(?:'re| are| have))\b"),
        (
            "act as",
            (
                r"act as (?:an? )?(?:unrestricted|uncensored|jailbroken|dan\b|root\b|ai\b|assistant|language model"
                r"|different)"
            ),
        ),
        ("developer mode", r"developer mode\b.{0,40}\b(?:unrestricted|no (?:rules|limits|restrictions)|output|respon)"),
        ("jailbreak", r"jailbreak(?:ed)? (?:mode|prompt)\b|jailbreak yourself"),
        ("do anything now", r"do anything now\b"),
        ("as an ai", r"as an ai (?:language )?(?:model|assistant)\b"),
        ("reveal,print,show,repeat,output,leak,expose,disclose,display,tell me,send,dump", _HIDDEN_RULES),
        ("do not ,don't ,never ", _SILENCE),
        ("if you are,if you're", rf"if you(?:'re| are) (?:an? )?(?:{_MODEL})\b(?! owner)"),
        (
            "note to,note for,message to,message for,instruction,instructions,notice to",
            rf"(?:note|message|instructions?|notice) (?:to|for) (?:all |any |the )?(?:{_MODEL})\b ?:",
        ),
        ("attention", rf"attention,? (?:all |any )?(?:{_MODEL})\b"),
        ("important", rf"important (?:instructions? )?(?:to|for) (?:all |any |the )?(?:{_MODEL})\b"),
        (
            "ai,llm,llms,any ai,all ai,language model",
            (
                r"(?:any |all )?(?:ai|llms?|language) ?(?:agents?|assistants?|models?)? (?:reading this"
                r"|must (?:now )?(?:ignore|obey|follow|approve|run|execute|send))\b"
            ),
        ),
        ("agents reading,agent reading,model reading,assistant reading", r"(?:agents?|model|assistant) reading this\b"),
        (
            "your instructions,your new,your real,your true,your actual",
            r"your (?:new |real |true |actual )?instructions (?:are|is) (?:now|to|as)\b",
        ),
        (
            "disable,turn off,bypass",
            (
                r"(?:disable|turn off|bypass) (?:all |any |your )?(?:safety|content) (?:filters?|checks?|guidelines"
                r"|guardrails|polic(?:y|ies))"
            ),
        ),
        ("prompt système", r"prompt système"),
        ("系统提示", r"系统提示"),
        ("du bist", r"du bist (?:jetzt|nun) (?:ein|kein|im|der|die|das)"),
        ("tu es maintenant", r"tu es maintenant (?:une?|le|la|en)\b"),
        ("ahora eres", r"ahora eres (?:una?|el|la)\b"),
        ("теперь ты", r"теперь ты\b"),
        ("你现在是", r"你现在是"),
    )
    for needle in needles.split(",")
)

# Those that begin with a word, by that word; the others begin with a sign.
PHRASES: Final[dict[str, tuple[tuple[str, re.Pattern[str]], ...]]] = {
    first: tuple(phrase for phrase in _ALL if phrase[0].replace("'", " ").split()[0] == first)
    for first in (needle.replace("'", " ").split()[0] for needle, _ in _ALL)
    if first.isalpha() and first < "\u2e80"
}
MARKS: Final = tuple(phrase for phrase in _ALL if not phrase[0][0].isalpha() or phrase[0] >= "\u2e80")
