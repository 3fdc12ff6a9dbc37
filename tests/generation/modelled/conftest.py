import pytest
from tests.generation.modelled.conversation import write_room

from benchwright.errors import EnvironmentFault
from benchwright.generation.executing import Bench, Machine
from benchwright.generation.modelled import Sandboxed
from benchwright.generation.trial import Tools
from benchwright.generation.workflow import Material
from benchwright.profiles.folders import Looking, profile_paths
from benchwright.sandbox.choice import Providers
from benchwright.scoring.workers import Worker
from benchwright.task import Limits


@pytest.fixture(scope="session")
def material(tmp_path_factory):
    base = tmp_path_factory.mktemp("rooms")
    base.chmod(0o755)
    folder = write_room(base / "sales")
    for path in (folder, *folder.iterdir()):
        path.chmod(0o755)
    return Material("sales", folder, tuple(profile_paths([folder], Looking(cache=None))))


@pytest.fixture(scope="module")
def sandboxed(small_toolbox):
    """Labs of real sandboxes, by how files are traced."""
    providers, labs = Providers(), []

    def lab(tracing="auto", **more):
        machine = Machine(lambda spec: providers.open(spec, "auto"), small_toolbox, tracing, **more)
        try:
            machine.open(machine.spec((), Limits())).close()
        except EnvironmentFault as error:
            pytest.skip(str(error))
        labs.append(Tools(Bench(machine), Worker(None)))
        return Sandboxed(labs[-1])

    yield lab
    for tools in labs:
        tools.bench.close()
        tools.worker.close()
    providers.close()
