import pytest
from tests.generation.modelled.conversation import write_room

from benchwright.generation.workflow import Material
from benchwright.profiles.folders import Looking, profile_paths


@pytest.fixture(scope="session")
def material(tmp_path_factory):
    folder = write_room(tmp_path_factory.mktemp("rooms") / "sales")
    return Material("sales", folder, tuple(profile_paths([folder], Looking(cache=None))))
