"""The card of a data set: YAML that the hub reads, and what people should know."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from benchwright import __version__
from benchwright.suite import Suite
from benchwright.suites.copying import SuiteCopy

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LICENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")
"""A licence in one word, as the hub lists them; all others are `other`, with their text."""

_BODY = """\
# {title}

{description}

A suite of {tasks} tasks for data agents: each asks a question in plain language about a folder of data files. Release
`{release}` of the suite `{name}`, written by Benchwright {version}.

| | |
|---|---|
| tasks | {tasks} |
| data rooms | {rooms} |
| files, megabytes | {files}, {megabytes:.1f} |
| licence | {licence} |
| source | {source} |
| digest of questions and data | `{digest}` |
| gold | {gold} |

```sh
benchwright suites fetch hugging_face --from OWNER/NAME --out {name}
benchwright suites show {name}
```

`tasks.jsonl` holds all that an agent may see, `labels.jsonl` what results are grouped by, `data/<room>/` the files,
`index/` their paths, sizes and SHA-256{gold_files}.
The tables in `parquet/` say the same for readers of tables, and are not read back: `test` is the whole suite, every
other split one of its subsets.
"""


def card(copied: SuiteCopy, splits: Mapping[str, tuple[str, ...]], *, gold: bool, data: bool) -> str:
    """`README.md`; `splits` are the names of each table's splits."""
    suite, info = copied.suite, copied.suite.info
    body = _BODY.format(
        title=info.title or info.name,
        description=info.description,
        name=info.name,
        release=info.release,
        version=__version__,
        tasks=len(suite.tasks),
        rooms=f"{len(info.rooms)}" + ("" if data else ", whose data are not here"),
        files=copied.files,
        megabytes=copied.bytes / 1e6,
        licence=info.licence or "not stated",
        source=info.source or "not stated",
        digest=suite.digest,
        gold=f"here, digest `{suite.gold_digest}`" if gold else "withheld",
        gold_files=", `gold/` the right answers and how they are checked" if gold else "",
    )
    return "\n".join(["---", *_yaml(suite, splits), "---", "", body])


def _yaml(suite: Suite, splits: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Scalars are written as JSON, which is YAML whatever they hold."""
    licence = suite.info.licence
    yield f"pretty_name: {json.dumps(suite.info.title or suite.name, ensure_ascii=False)}"
    if licence and _LICENCE.fullmatch(licence):
        yield f"license: {json.dumps(licence.lower())}"
    else:
        yield 'license: "other"'
        yield f"license_name: {json.dumps(licence[:80] or 'not stated', ensure_ascii=False)}"
    yield "task_categories:\n- question-answering\n- table-question-answering"
    yield "tags:\n- benchwright\n- benchmark\n- data-agents"
    yield "size_categories:\n- " + next((name for most, name in _SIZES if len(suite.tasks) < most), "n>1M")
    yield "configs:"
    for config, names in splits.items():
        yield f"- config_name: {config}\n  data_files:"
        for split in names:
            yield f"  - split: {split}\n    path: parquet/{config}/{split}.parquet"
