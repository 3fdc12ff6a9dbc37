import json
from pathlib import Path

import pytest

from benchwright.gold import Check, Gold
from benchwright.scorers.base import Expected
from benchwright.scorers.registry import sound_scorer
from benchwright.task import Task
from benchwright.trajectory import Submission


def _written(path, content):
    """A file with some content: bytes, text, or a value as JSON."""
    if not isinstance(content, str | bytes):
        content = json.dumps(content)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.fixture(scope="session")
def judge_file(tmp_path_factory):
    """Judge one output file by the sound scorer of a kind; several golds are given as a tuple."""
    folder = tmp_path_factory.mktemp("judged")

    def judge(kind, found, gold, suffix="json", **options):
        files = {}
        if found is not None:
            path = found if isinstance(found, Path) else folder / f"found.{suffix}"
            if path is not found:
                _written(path, found)
            files = {f"out.{suffix}": path}
        golds = gold if isinstance(gold, tuple) else (gold,)
        names = tuple(f"gold{number}.{suffix}" for number in range(len(golds)))
        for name, content in zip(names, golds, strict=True):
            (folder / name).unlink(missing_ok=True)
            if content is not ...:
                _written(folder / name, content)
        check = Check(scorer=kind, output=f"out.{suffix}", golds=names, options=options)
        expected = Expected(Task(id="t", question="?"), Gold(task_id="t"), check, folder)
        return sound_scorer(kind).score(Submission(files=files), expected)

    return judge
