import random

import pytest

from benchwright.generation.workflow import Draft, Material, Step, Workflow
from benchwright.profiles.finding_relations import find_relations, read_tables
from benchwright.profiles.folders import Looking, profile_paths

SKILLS = {"Data Loading with Pandas": "", "Filtering Rows": "", "Group Aggregation": "", "Random Sampling": ""}


def make_room(folder):
    """Orders of customers, a list of customers, and a note that no task needs."""
    drawn = random.Random(3)
    folder.mkdir(parents=True)
    orders = [
        (n, drawn.randrange(1, 21), drawn.choice(["open", "sent", "lost"]), drawn.randrange(5, 500)) for n in range(200)
    ]
    rows = "".join(f"{order},{customer},{state},{price}\n" for order, customer, state, price in orders)
    (folder / "orders.csv").write_text("order,customer,state,price\n" + rows)
    towns = ["Ulm", "Kiel", "Bonn"]
    people = "".join(f"{n},{drawn.choice(towns)}\n" for n in range(1, 21))
    (folder / "customers.csv").write_text("customer,town\n" + people)
    (folder / "note.txt").write_text("Nothing is to be learned from this.\n")
    for path in (folder, *folder.iterdir()):
        path.chmod(0o755)
    return folder


def material_of(folder, cache):
    profiles = tuple(profile_paths([folder], Looking(cache=cache)))
    return Material("shop", folder, profiles, find_relations(read_tables([folder]).read))


@pytest.fixture(scope="session")
def material(tmp_path_factory):
    base = tmp_path_factory.mktemp("generation")
    base.chmod(0o755)
    return material_of(make_room(base / "shop"), base / "profiles")


LOAD = Step(
    id="s1",
    skill="Data Loading with Pandas",
    description="Load the orders.",
    code='import csv\nwith open("/data/orders.csv") as stream:\n    orders = list(csv.DictReader(stream))',
    reads=("orders.csv",),
    columns={"orders.csv": ("state", "price")},
    outputs=("orders",),
)
KEEP = Step(
    id="s2",
    skill="Filtering Rows",
    description="Keep the orders that are sent.",
    code='sent = [order for order in orders if order["state"] == "sent"]',
    depends_on=("s1",),
    columns={"orders.csv": ("state",)},
    inputs=("orders",),
    outputs=("sent",),
    without="sent = orders",
)
TELL = Step(
    id="s3",
    skill="Group Aggregation",
    description="Tell their mean price.",
    code='print(round(sum(int(order["price"]) for order in sent) / len(sent), 2))',
    depends_on=("s2",),
    columns={"orders.csv": ("price",)},
    inputs=("sent",),
)


@pytest.fixture
def draft():
    return Draft(
        name="mean-price-1",
        writer="template:mean",
        room="shop",
        question="What is the mean price of all orders of the shop that are sent, rounded to two decimals?",
        workflow=Workflow(steps=(LOAD, KEEP, TELL)),
    )


@pytest.fixture
def changed():
    """A draft with other values in one of its steps."""

    def change(draft, place, **values):
        steps = list(draft.workflow.steps)
        steps[place] = steps[place].model_copy(update=values)
        return draft.model_copy(update={"workflow": Workflow(steps=tuple(steps))})

    return change
