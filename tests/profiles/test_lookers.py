import pytest

from benchwright.process import WorkLimits
from benchwright.profiles.formats import Bounds
from benchwright.profiles.lookers import Looker


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A file that takes hundreds of megabytes as Python's lists, and a harmless one."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "many.json").write_bytes(b"[" + b"[]," * 4_000_000 + b"[]]")
    (folder / "t.csv").write_text("a,b\n1,x\n2,y\n")
    return folder


@pytest.mark.parametrize(
    ("limits", "error"),
    [
        (WorkLimits(seconds=100, memory_mb=330), "the process that looked at it died"),
        (WorkLimits(seconds=0.3, memory_mb=3000), "time limit of 0.3 seconds"),
        (WorkLimits(seconds=100, memory_mb=3000), ""),
    ],
    ids=["memory", "time", "neither"],
)
def test_a_file_that_is_too_much_costs_its_own_entry_and_no_other(files, limits, error):
    with Looker(limits, Bounds()) as looker:
        entry = looker.look(files / "many.json", "many.json")
        assert entry.error.startswith(error)
        assert bool(entry.error) is bool(error)
        assert (entry.format, len(entry.sha256)) == ("json", 64)
    with Looker(WorkLimits(seconds=100, memory_mb=1000), Bounds()) as looker:
        assert looker.look(files / "t.csv", "t.csv").rows.value == 2
