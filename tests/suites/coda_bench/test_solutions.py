import subprocess
import sys

import pytest

from benchwright.files import FileEntry
from benchwright.suites.coda_bench.records import CodaTask
from benchwright.suites.coda_bench.tasks import Instance, gold_of
from benchwright.suites.required import RoomFiles

ROOM = RoomFiles([FileEntry("my-shop/source/a b.csv", 1, "1"), FileEntry("my-shop/source/deep/c.csv", 1, "2")])
WAYS = {
    "a literal": "print('my_shop/source/a b.csv')\nopen('my_shop/source/a b.csv')",
    "a folder and a name": "base = 'my_shop/source/'\nprint(base + 'a b.csv')\nopen(base + 'a b.csv')",
    "an f-string": 'n = \'a b\'\nprint(f"my_shop/source/{n}.csv")\nopen(f"my_shop/source/{n}.csv")',
    "kaggle's input": "p = '../input/my-shop/a b.csv'\nprint(p)\nopen(p)",
    "an absolute path": "p = '/Kaggle/x/private_dataset/my_shop/a b.csv'\nprint(p)\nopen(p)",
    "a community": "p = '/x/full_community/my-shop/source/a b.csv'\nprint(p)\nopen(p)",
}


def gold(code, room=ROOM):
    record = CodaTask(instance_id=0, question="?", answer="1", reference_code=code, release_community="community_1")
    return gold_of(Instance(record, "community_1", hard=False), room)


@pytest.mark.parametrize("way", WAYS)
def test_a_solution_names_its_files_where_they_lie_in_the_room(way):
    code = gold(WAYS[way]).solution.code.rpartition("\n")[0]
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown == "/data/my-shop/source/a b.csv\n"


def test_nested_and_unknown_files():
    code = "open('my_shop/source/deep/c.csv')\nopen('other/source/x.csv')"
    assert gold(code).solution.code == "open('/data/my-shop/source/deep/c.csv')\nopen('other/source/x.csv')"


def test_without_the_room_the_program_is_as_published():
    assert gold(WAYS["a literal"], None).solution.code == WAYS["a literal"]
