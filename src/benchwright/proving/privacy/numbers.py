"""Check digits and other rules of validity of identity and account numbers."""

from __future__ import annotations

import re
from datetime import date

_KNOWN_SSN = frozenset({"078-05-1120", "219-09-9999", "123-45-6789"})
_RESIDENT_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_RESIDENT_PROVINCES = frozenset({*range(11, 16), *range(21, 24), *range(31, 38), *range(41, 47), *range(50, 55),
                                 *range(61, 66), 71, 81, 82, 83, 91})  # fmt: skip
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28,
    "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18,
    "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22,
    "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20,
    "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18,
    "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SD": 18,
    "SE": 24, "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22,
    "VG": 24, "XK": 20,
}  # fmt: skip
_CARD_PREFIX = re.compile(
    r"4|5[1-5]|2(?:2[2-9]|[3-6]\d|7[01]|720)|3[47]|6011|65|64[4-9]|35(?:2[89]|[3-8])|3(?:0[0-5]|[68])|62"
)
_VERHOEFF = (
    (0, 1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 2, 3, 4, 0, 6, 7, 8, 9, 5), (2, 3, 4, 0, 1, 7, 8, 9, 5, 6),
    (3, 4, 0, 1, 2, 8, 9, 5, 6, 7), (4, 0, 1, 2, 3, 9, 5, 6, 7, 8), (5, 9, 8, 7, 6, 0, 4, 3, 2, 1),
    (6, 5, 9, 8, 7, 1, 0, 4, 3, 2), (7, 6, 5, 9, 8, 2, 1, 0, 4, 3), (8, 7, 6, 5, 9, 3, 2, 1, 0, 4),
    (9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
)  # fmt: skip
_TURN = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


def luhn(digits: str) -> bool:
    """Whether the last digit is the Luhn check digit of the others (ISO/IEC 7812)."""
    doubled = (int(digit) * 2 if index % 2 else int(digit) for index, digit in enumerate(reversed(digits)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def payment_card(text: str) -> bool:
    """A number of 13 to 19 digits with an issuer's prefix and a Luhn check digit, not one digit repeated."""
    digits = re.sub(r"\D", "", text)
    return 13 <= len(digits) <= 19 and len(set(digits)) > 1 and bool(_CARD_PREFIX.match(digits)) and luhn(digits)


def iban(text: str) -> bool:
    """An account number of its country's length whose check is 1 modulo 97 (ISO 13616)."""
    compact = re.sub(r"\s", "", text).upper()
    if len(compact) != _IBAN_LENGTHS.get(compact[:2]):
        return False
    return int("".join(str(int(character, 36)) for character in compact[4:] + compact[:4])) % 97 == 1


def social_security(text: str) -> bool:
    """A US number as AAA-GG-SSSS that can have been issued: not 000, 666 or 9xx, no zero group; no known sample."""
    area, group, serial = text.split("-")
    issued = area not in {"000", "666"} and area < "900" and group != "00" and serial != "0000"
    return issued and text not in _KNOWN_SSN


def resident_identity(text: str) -> bool:
    """A Chinese resident identity number: province, a real date of birth, and the check of GB 11643-1999."""
    if int(text[:2]) not in _RESIDENT_PROVINCES:
        return False
    try:
        born = date(int(text[6:10]), int(text[10:12]), int(text[12:14]))
    except ValueError:
        return False
    check = sum(weight * int(digit) for weight, digit in zip(_RESIDENT_WEIGHTS, text[:17], strict=True)) % 11
    return born.year >= 1900 and text[17].upper() == "10X98765432"[check]


def national_insurance(text: str) -> bool:
    """A UK number in its allowed letters."""
    compact = re.sub(r"\s", "", text).upper()
    return compact[:2] not in {"BG", "GB", "NK", "KN", "TN", "NT", "ZZ"}


def aadhaar(text: str) -> bool:
    """An Indian number of twelve digits with its Verhoeff check digit, not starting with 0 or 1."""
    digits = re.sub(r"\D", "", text)
    check = 0
    for index, digit in enumerate(reversed(digits)):
        value = int(digit)
        for _ in range(index % 8):
            value = _TURN[value]
        check = _VERHOEFF[check][value]
    return len(digits) == 12 and digits[0] not in "01" and check == 0
