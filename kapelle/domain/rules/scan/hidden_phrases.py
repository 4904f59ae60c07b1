"""The phrases with which text is aimed at models, in lower case: table only, `hidden` applies it."""

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A verb that tells a reader to drop its instructions, which instructions, and what they are called."""

    stems: tuple[str, ...]
    verb: re.Pattern[str]
    which: re.Pattern[str]
    object: re.Pattern[str]
    # Languages that put the verb last.
    object_first: bool = False


def _command(stems: str, verb: str, which: str, called: str, *, object_first: bool = False) -> Command:
    return Command(
        stems=tuple(stems.split()),
        verb=re.compile(verb),
        which=re.compile(which),
        object=re.compile(called),
        object_first=object_first,
    )


COMMANDS: Final[tuple[Command, ...]] = (
    _command(
        "ignore disregard forget override bypass overlook follow attention",
        r"\b(?:ignore|disregard|forget|override|bypass|overlook|(?:do not|don't|stop|never) follow(?:ing)?|no attention to)\b",
        r"\b(?:previous|previously|prior|above|earlier|preceding|foregoing|before|you|your|system|original|initial|developer|safety|hidden)\b"
        r"|\b(?:all|any|every|these|those)\b.*\b(?:instructions?|prompts?|directives?|guidelines)\b",
        r"\b(?:instructions?|prompts?|directives?|directions|guidelines?|guardrails?|rules|orders|commands|constraints|programming|training"
        r"|told|everything|safety|context)\b",
    ),
    _command(
        "ignorier vergiss vergesst missachte",
        r"\b(?:ignoriere?|ignoriert|ignorieren sie|vergiss|vergesst|missachte)\b",
        r"\b(?:vorherig|bisherig|vorig|obig|früher|vorangegangen|all|dein|system|jeglich)",
        r"anweisung|instruktion|befehl|regeln|vorgaben|prompt",
    ),
    _command(
        "ignor oubli tiens tenez",
        r"\b(?:ignore[rz]?|oublie[rz]?|ne tiens pas compte|ne tenez pas compte)\b",
        r"\b(?:précédent|antérieur|ci-dessus|tout|tes|vos|système)",
        r"\b(?:instructions?|consignes?|directives?|règles|ordres)\b",
    ),
    _command(
        "ignor olvid omiso desconsider esque",
        r"\b(?:ignora|ignore|ignorad|olvida|olvide|caso omiso|esqueça|esquece|desconsidere)\b",
        r"\b(?:anterior|previa|previo|prévia|arriba|acima|tod[oa]s|tus|sus|suas|sistema)",
        r"instruccion|instrucción|indicacion|órdenes|directrices|reglas|instruç|ordens|regras",
    ),
    _command(
        "ignor dimentica",
        r"\b(?:ignora|ignorate|ignori|dimentica|dimenticate)\b",
        r"\b(?:precedent|anterior|sopra|tutt|tue|sistema)",
        r"istruzion|direttive|regole|comandi|prompt",
    ),
    _command(
        "negeer vergeet",
        r"\b(?:negeer|vergeet)\b",
        r"\b(?:vorige|eerdere|voorgaande|bovenstaande|alle|jouw|systeem)",
        r"instructie|aanwijzing|opdracht|regels|prompt",
    ),
    _command(
        "ignoruj pomiń zapomnij",
        r"\b(?:z?ignoruj|pomiń|zapomnij)\b",
        r"\b(?:poprzedni|wcześniejsz|powyższ|wszystki|swoj|system)",
        r"instrukcj|poleceni|polece|zasad|wytyczn",
    ),
    _command(
        "ignorera bortse glöm ignorer glem",
        r"\b(?:ignorera|bortse från|glöm|ignorer|glem)\b",
        r"\b(?:tidigare|föregående|ovanstående|alla|dina|tidligere|alle|dine)",
        r"instruktion|instruks|anvisning|regler|order",
    ),
    _command(
        "игнорир забудь забудьте ігноруй",
        r"\b(?:про)?(?:игнорируй|игнорируйте|забудь|забудьте|ігноруй|ігноруйте)",
        r"\b(?:предыдущ|прошл|все|всё|свои|систем|попередн|усі|всі)",
        r"инструкц|указани|команд|правил|інструкц|вказівк",
    ),
    _command("忽略 无视 無視 忘记 忘記", r"忽略|无视|無視|忘记|忘記", r"之前|先前|以上|上述|前面|所有|全部|系统|系統", r"指令|指示|提示|说明|說明|规则|規則|命令"),
    _command("無視 忘れ", r"無視|忘れ", r"以前|これまで|前の|上記|全て|すべて|システム", r"指示|命令|プロンプト|ルール", object_first=True),
    _command("무시 잊어", r"무시|잊어", r"이전|위의|모든|기존|시스템|앞선", r"지시|명령|프롬프트|규칙", object_first=True),
    _command("تجاهل انس", r"تجاهل|انسَ|انس ", r"السابق|أعلاه|جميع|كل", r"تعليمات|أوامر|توجيهات"),
    _command("अनदेखा नज़रअंदाज़ भूल", r"अनदेखा|नज़रअंदाज़|भूल", r"पिछल|सभी|ऊपर|पहले", r"निर्देश|आदेश", object_first=True),
    _command("yok say unut dikkate alma", r"yok say|unut\b|dikkate alma", r"önceki|yukarıdaki|tüm|bütün", r"talimat|komut|kural", object_first=True),
)

_MODEL: Final = r"(?:ai|llm|ais|llms|a\.i\.|language model|chat ?bot|coding agent|ai agent|ai assistant|assistant|agent|model|claude|chatgpt|gpt|copilot|gemini)s?"

ADDRESSED: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (needle, re.compile(pattern))
    for needle, pattern in (
        ("<|", r"<\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|end_of_text|begin_of_text|eot_id|eom_id|start_header_id|end_header_id|end|fim_\w+)\|>"),
        ("inst]", r"\[/?inst\]"),
        ("sys>>", r"<</?sys>>"),
        ("system", r"</?system(?:[-_](?:prompt|reminder|message|instructions?))?>"),
        ("system", r"\bsystem(?:[ _-]|[ ]?\n)?(?:prompt|message:|override)\b"),
        ("system", r"^[ \t]*(?:\#{1,6}[ ]*|\*\*)?system(?:\*\*)?[ ]?:[ ]+(?:you|your|ignore|the (?:assistant|model|user))"),
        ("\"role\"", r"\"role\"\s{0,4}:\s{0,4}\"(?:system|developer)\""),
        ("instruction", r"(?m:^\s{0,3}\#{2,4} ?(?:system |new )?instructions?:)"),
        ("instructions", r"\bnew (?:system )?instructions?:"),
        ("assistant:", r"(?:^|\n)\s{0,3}human:.{0,400}\n\s{0,3}assistant:|<assistant>"),
        (
            "you are now",
            r"\byou are now (?:an?\b(?! (?:member|owner|maintainer|collaborator|contributor|admin of))|in (?:developer|debug|admin|god|dan|maintenance|root|unrestricted)"
            r"|the (?:system|admin|root|assistant|ai)|acting|playing|unrestricted|free (?:from|of)|jailbroken|dan\b|my\b|no longer (?:bound|an?|subject|restricted)|called|named|operating)",
        ),
        ("you are no longer", r"\byou are no longer (?:bound|an?\b|subject|restricted|required to follow)"),
        ("from now on", r"\bfrom now on,? (?:you|your|always|respond|answer|act|ignore)\b"),
        ("pretend", r"\bpretend (?:to be|(?:that )?you(?:'re| are| have))\b"),
        ("act as", r"\bact as (?:an? )?(?:unrestricted|uncensored|jailbroken|dan\b|root\b|ai\b|assistant|language model|different)"),
        ("developer mode", r"\b(?:enable|enter|activate|switch to|in) developer mode\b.{0,40}\b(?:unrestricted|no (?:rules|limits|restrictions)|output|respon)"),
        ("jailbreak", r"\bjailbreak(?:ed)? (?:mode|prompt)\b|\bjailbreak yourself"),
        ("do anything now", r"\bdo anything now\b"),
        ("as an ai", r"\bas an ai (?:language )?(?:model|assistant)\b"),
        ("your", r"\b(?:reveal|print|show|repeat|output|leak|expose|disclose|display|tell me|send|dump) (?:me )?(?:all (?:of )?)?your (?:system|hidden|initial|original|secret|full|internal) ?(?:prompt|instructions?|rules|message|configuration)"),
        ("the user", r"\b(?:do not|don't|never) (?:tell|inform|alert|notify|mention (?:this|it|any of this) to|reveal (?:this|it) to|show (?:this|it) to|warn) the (?:user|human|operator|developer|reviewer)"),
        ("if you", rf"\bif you(?:'re| are) (?:an? )?(?:{_MODEL})\b(?! owner)"),
        ("note to", rf"\b(?:note|message|instructions?|notice) (?:to|for) (?:all |any |the )?(?:{_MODEL})\b ?:"),
        ("attention", rf"\battention,? (?:all |any )?(?:{_MODEL})\b"),
        ("important", rf"\bimportant (?:instructions? )?(?:to|for) (?:all |any |the )?(?:{_MODEL})\b"),
        ("must", rf"\b(?:ai|llm|any ai|all ai|language) (?:agents?|assistants?|models?) (?:reading this|must|have to)\b"),
        ("reading this", rf"\b(?:{_MODEL}) reading this\b"),
        ("your instructions", r"\byour (?:new |real |true |actual )instructions (?:are|is)\b"),
        ("safety", r"\b(?:disable|turn off|ignore|bypass) (?:all |any |your )?(?:safety|content) (?:filters?|checks?|guidelines|guardrails|polic(?:y|ies))"),
        ("system-prompt", r"\bsystem-prompt\b"),
        ("systemprompt", r"systemprompt"),
        ("prompt système", r"prompt système"),
        ("系统提示", r"系统提示"),
        ("du bist jetzt", r"\bdu bist (?:jetzt|nun) (?:ein|kein|im|der|die|das)"),
        ("tu es maintenant", r"\btu es maintenant (?:une?|le|la|en)\b"),
        ("ahora eres", r"\bahora eres (?:una?|el|la)\b"),
        ("теперь ты", r"\bтеперь ты\b"),
        ("你现在是", r"你现在是"),
    )
)
