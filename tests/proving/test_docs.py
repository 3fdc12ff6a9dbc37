"""The table of rules in docs/proving.md is the list of rules."""

import re
from pathlib import Path

from benchwright.proving.lint import RULES

DOCS = Path(__file__).resolve().parents[2] / "docs" / "proving.md"


def test_every_rule_is_in_the_docs_with_its_severity():
    stated = dict(re.findall(r"^\| `([\w-]+)` \| (error|warning|note) \|", DOCS.read_text("utf-8"), re.MULTILINE))
    assert stated == {rule.name: rule.severity.value for rule in RULES}
