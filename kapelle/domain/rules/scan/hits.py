"""What the rules for links, personal data and hidden text report: a rule and a place, never the text found."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One rule that fired. `start` counts characters of the original text from 0."""

    rule: str
    # Chat-ready, such as "a link to evil.io, which is not an allowed host".
    what: str
    start: int


class Confidence(StrEnum):
    """How sure a rule is: what is of low confidence is for a person to decide."""

    HIGH = "high"
    LOW = "low"


class Personal(StrEnum):
    """A type of personal data; the value is the word in its placeholder."""

    EMAIL = "EMAIL"
    PHONE = "PHONE"
    CARD = "CARD"
    IBAN = "IBAN"
    ID = "ID"
    IP = "IP"
    DATE = "DATE"


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalHit:
    """Personal data in the half-open span `[start, end)` of the original text."""

    kind: Personal
    start: int
    end: int
    confidence: Confidence = Confidence.HIGH

    @property
    def rule(self) -> str:
        return f"personal-{self.kind.lower()}"

    @property
    def what(self) -> str:
        return _WORDS[self.kind]


_WORDS = {
    Personal.EMAIL: "an e-mail address",
    Personal.PHONE: "a phone number",
    Personal.CARD: "a payment card number",
    Personal.IBAN: "an IBAN",
    Personal.ID: "a national identity number",
    Personal.IP: "a public IP address",
    Personal.DATE: "a date of birth",
}
