"""Rules: a prompt that names the files, folders or datasets that the agent should discover."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from benchwright.proving.findings import Severity
from benchwright.proving.lint.base import Case, TaskRule, quoted
from benchwright.proving.lint.text import contains_words

EXTENSIONS = (
    "csv|tsv|tab|txt|dat|json|jsonl|ndjson|geojson|xml|html?|xlsx?|xlsm|xlsb|ods|parquet|pq|feather|arrow|orc|avro|h5|hdf5?|"
    "nc|npy|npz|pkl|pickle|rds|rdata|sav|dta|sas7bdat|sqlite3?|db|duckdb|sql|shp|gpkg|kml|zip|gz|bz2|xz|zst|tar|pdf|docx?|md|"
    "yaml|yml|toml|log|arff|mat"
)
_FILE = re.compile(rf"(?i)(?<![\w@])[\w()+-]+(?:[ .][\w()+-]+){{0,3}}\.(?:{EXTENSIONS})\b(?!\.\w|\()")
_PATH = re.compile(
    r"(?<![\w:/<])(?:/(?:[\w.-]{2,}/)+[\w.-]*|~/[\w./-]+|\.\.?/[\w./-]+|[A-Za-z]:\\[\w\\. -]+)"
    r"|\b(?:s3|gs|file|hdfs)://\S+|\b[\w-]+/(?:source|data|input|private_dataset|full_community)/[\w./-]+"
)


def _targets(case: Case) -> Iterator[PurePosixPath]:
    for required in case.gold.required_files:
        yield PurePosixPath(required.path)


def names_required(case: Case) -> Iterator[str]:
    """The prompt names a required file: by its path, its file name, or its stem where that is telling.

    An output of the same name is what is meant where there is one.
    """
    asked = {output.name for output in case.task.outputs}
    for path in (path for path in _targets(case) if path.name not in asked):
        stem_tells = bool(re.search(r"[_\d-]", path.stem)) and len(path.stem) >= 8
        for name in (str(path), path.name, *((path.stem,) if stem_tells else ())):
            if _named(case.prompt, name):
                yield f"the prompt names {quoted(name)} of the required file {quoted(str(path))}"
                break


def _named(text: str, name: str) -> bool:
    return bool(re.search(rf"(?i)(?<![\w/]){re.escape(name)}(?!\w)", text))


def names_files(case: Case) -> Iterator[str]:
    """The prompt names a data file or a path; names of the outputs that it asks for do not count."""
    asked = {output.name.lower() for output in case.task.outputs}
    for match in (*_PATH.finditer(case.prompt), *_FILE.finditer(case.prompt)):
        name = PurePosixPath(match[0].strip()).name.lower()
        if not any(re.search(rf"(?<![\w.-]){re.escape(output)}$", name) for output in asked):
            yield f"the prompt holds {quoted(match[0])}"
            return


def names_folder(case: Case) -> Iterator[str]:
    """The prompt names the dataset, or the folder of two words or more that holds a required file."""
    folders = {path.parts[0] for path in _targets(case) if len(path.parts) > 1} | {case.labels.dataset}
    for folder in sorted(folders - {""}):
        telling = len(folder) >= 10 and re.search(r"[\W_]", folder)
        if telling and contains_words(case.prompt, folder):
            yield f"the prompt names the dataset {quoted(folder)}"


RULES = (
    TaskRule(
        "prompt-names-required-file",
        Severity.WARNING,
        "discovery cannot be measured where the prompt names the file: describe the data instead",
        names_required,
    ),
    TaskRule("prompt-names-path", Severity.WARNING, "describe the data instead of naming a file", names_files),
    TaskRule("prompt-names-dataset", Severity.NOTE, "it narrows the search: describe the data instead", names_folder),
)
