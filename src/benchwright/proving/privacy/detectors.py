"""What personal data look like in text: a pattern for each kind, and the rule that makes a match valid."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from benchwright.proving.privacy import numbers

_SAMPLE_HOSTS = re.compile(
    r"(?i)@(?:[\w-]+\.)*(?:example\.(?:com|org|net|edu)|example|test|invalid|localhost|domain\.com|email\.com)$"
)
_NOBODYS = frozenset({"800", "822", "833", "844", "855", "866", "877", "888", "900"})
_FILE_LIKE = re.compile(r"(?i)@\d+x\.\w+$|\.(?:png|jpe?g|gif|svg|css|js)$")
_ASSET_ROLE = re.compile(r"(?i)^(?:no-?reply|info|support|contact|admin|help|hello|press|sales|office|webmaster)@")


@dataclass(frozen=True, slots=True)
class Detector:
    """One kind of personal data.

    `shapes`: a text that holds none of them (digits as 0, capitals as A) holds no match; this makes scanning quick.
    `share`: where random digits pass often, only this share of all candidates in one place, and at least `least` of
    them, make an alarm. None: every valid match is one.
    """

    kind: str
    pattern: re.Pattern[str]
    valid: Callable[[str], bool]
    shapes: tuple[bytes, ...]
    share: float | None = None
    least: int = 1


@dataclass(frozen=True, slots=True)
class Match:
    """One valid match, and its kind."""

    kind: str
    text: str
    start: int


def _email(text: str) -> bool:
    return not (_SAMPLE_HOSTS.search(text) or _FILE_LIKE.search(text) or _ASSET_ROLE.match(text)) and ".." not in text


def _american_phone(text: str) -> bool:
    """The North American plan: area and exchange start with 2 to 9, neither ends in 11; 555-01xx is fiction.

    Toll-free and premium numbers are not a person's.
    """
    digits = re.sub(r"\D", "", text)[-10:]
    area, exchange = digits[:3], digits[3:6]
    fiction = (exchange == "555" and digits[6:8] == "01") or area in _NOBODYS
    return (
        area[0] in "23456789"
        and exchange[0] in "23456789"
        and area[1:] != "11"
        and exchange[1:] != "11"
        and not fiction
    )


def _international_phone(text: str) -> bool:
    return 9 <= len(re.sub(r"\D", "", text)) <= 15


_START, _END = r"(?<![\w.+/-])", r"(?![\w-]|\.\d|/\w)"
_PHONE = rf"{_START}(?:\+?1[ .-]?)?(?:\(\d{{3}}\) ?|\d{{3}}[ .-])\d{{3}}[.-]\d{{4}}{_END}"
_ABROAD = rf"{_START}\+[1-9]\d{{0,2}}(?:[ .-]?\(?\d{{1,4}}\)?){{2,5}}{_END}"
_IBAN = rf"{_START}[A-Z]{{2}}\d{{2}}(?: ?[A-Z0-9]{{4}}){{2,7}}(?: ?[A-Z0-9]{{1,4}})?{_END}"
_ALONE, _LAST = r"(?<![\w.+/-])(?<!\d )", r"(?![\w-]|\.\d|/\w| \d)"
_CARD = rf"{_ALONE}(?:\d{{4}}(?:[ -]\d{{4}}){{3}}(?:[ -]\d{{3}})?|3\d{{3}}[ -]\d{{6}}[ -]\d{{5}}){_LAST}"
_INSURANCE = rf"{_START}[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{{2}} ?\d{{2}} ?\d{{2}} ?[A-D]{_END}"
_EMAIL = r"(?<![\w.+-])[A-Za-z0-9][\w.+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,24}(?![\w@])"
_RESIDENT = rf"{_START}\d{{17}}[\dXx]{_END}"
_AADHAAR = rf"{_START}[2-9]\d{{3}} \d{{4}} \d{{4}}{_END}"
_BARE_CARD = rf"{_START}\d{{13,19}}{_END}"
_PHONE_SHAPES = (b"000-000-0000", b"000.000.0000", b"000 000-0000", b"000 000.0000", b")000-0000", b") 000-0000")
_CARD_SHAPES = (b"0000 0000 0000 0000", b"0000-0000-0000-0000", b"0000 000000 00000", b"0000-000000-00000")

_PERSONAL = (
    Detector("email", re.compile(_EMAIL), _email, (b"@",)),
    Detector("phone", re.compile(_PHONE), _american_phone, _PHONE_SHAPES),
    Detector("phone", re.compile(_ABROAD), _international_phone, (b"+0",)),
    Detector(
        "us-ssn", re.compile(rf"{_START}\d{{3}}-\d{{2}}-\d{{4}}{_END}"), numbers.social_security, (b"000-00-0000",)
    ),
    Detector("iban", re.compile(_IBAN), numbers.iban, (b"AA00",)),
    Detector("payment-card", re.compile(_CARD), numbers.payment_card, _CARD_SHAPES),
    Detector("uk-national-insurance", re.compile(_INSURANCE), numbers.national_insurance, (b"AA00", b"AA 00")),
    Detector("cn-resident-id", re.compile(_RESIDENT), numbers.resident_identity, (b"0" * 17,), share=0.2),
    Detector("in-aadhaar", re.compile(_AADHAAR), numbers.aadhaar, (b"0000 0000 0000",), share=0.8, least=3),
    Detector("payment-card", re.compile(_BARE_CARD), numbers.payment_card, (b"0" * 13,), share=0.8, least=3),
)
_SECRETS: tuple[tuple[str, str, tuple[bytes, ...]], ...] = (
    ("key", r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[0-9A-Z]{16}(?![A-Za-z0-9])", (b"AAAA",)),
    ("key", r"(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{36,251}(?![A-Za-z0-9])", tuple(b"gh%c_" % c for c in b"pousr")),
    ("key", r"(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{60,255}", (b"github_pat_",)),
    ("key", r"(?<![A-Za-z0-9])sk-(?:[a-z]+-)*[A-Za-z0-9_-]{20,}(?![A-Za-z0-9])", (b"sk-",)),
    ("key", r"(?<![A-Za-z0-9])AIza[0-9A-Za-z_-]{35}(?![A-Za-z0-9])", (b"AAza",)),
    ("key", r"(?<![A-Za-z0-9])xox[abprs]-[0-9A-Za-z-]{10,}", tuple(b"xox%c-" % c for c in b"abprs")),
    ("key", r"(?<![A-Za-z0-9])hf_[A-Za-z]{30,40}(?![A-Za-z0-9])", (b"hf_",)),
    ("private-key", r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----", (b"-----AAAAA",)),
    ("token", r"(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}", (b"eyA",)),
    ("password", r"(?i)\b[a-z][a-z0-9+.-]*://[^\s:/@]{1,64}:[^\s:/@]{3,64}@[\w.-]+", (b"://",)),
)


def _secret(text: str) -> bool:
    """Whether it is a secret at all: what is written for one in manuals is of one letter, or says so."""
    tail = text.rpartition("-" if text.startswith(("sk-", "xox")) else "_")[2]
    return len(set(tail)) > 5 and not re.search(r"(?i)example|your|xxxx|password@|<|\*\*", text)


DETECTORS = (
    *(Detector(kind, re.compile(pattern), _secret, shapes) for kind, pattern, shapes in _SECRETS),
    *_PERSONAL,
)
"""Secrets of programs, which may look like addresses, and what tells of persons."""

_SHAPE = bytes.maketrans(b"123456789BCDEFGHIJKLMNOPQRSTUVWXYZ", b"0" * 9 + b"A" * 25)


def possible(text: str) -> tuple[Detector, ...]:
    """The detectors that may match somewhere in a (long) text."""
    shape = text.encode("ascii", errors="replace").translate(_SHAPE)
    return tuple(detector for detector in DETECTORS if any(part in shape for part in detector.shapes))


def matches(text: str, detectors: Iterable[Detector] = DETECTORS) -> Iterator[Match]:
    """The valid matches in a text, each stretch of text once; kinds that are judged by their share are left out."""
    taken: list[tuple[int, int]] = []
    for detector in detectors:
        for found in detector.pattern.finditer(text) if detector.share is None else ():
            overlaps = any(found.start() < end and start < found.end() for start, end in taken)
            if not overlaps and detector.valid(found[0]):
                taken.append(found.span())
                yield Match(detector.kind, found[0], found.start())


@dataclass(slots=True)
class Candidates:
    """Long numbers of one kind in one place: one in ten passes a check digit by chance, so their share decides."""

    detector: Detector
    seen: int = 0
    valid: int = 0
    first: str = ""

    def add(self, text: str) -> None:
        """Count the candidates of a text."""
        for found in self.detector.pattern.finditer(text):
            self.seen += 1
            if self.detector.valid(found[0]):
                self.valid += 1
                self.first = self.first or found[0]

    @property
    def alarming(self) -> bool:
        """Whether enough of them are valid."""
        return self.valid >= self.detector.least and self.valid >= (self.detector.share or 0) * self.seen


def masked(text: str) -> str:
    """A match with its middle hidden: enough to find it again, too little to use it."""
    if "@" in text:
        name, _, host = text.partition("@")
        return f"{name[:1]}***@{host}"
    kept = 2 if len(text) > 6 else 1
    return f"{text[:kept]}{'*' * (len(text) - 2 * kept)}{text[-kept:]}"
