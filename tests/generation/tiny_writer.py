"""A writer for tests: mean prices over each state, some of them wrong in ways that only running shows."""

from benchwright.generation.workflow import Draft, Rejection, Step, Workflow

LOAD = 'import csv\nwith open("/data/orders.csv") as stream:\n    orders = list(csv.DictReader(stream))'
STATES = ("open", "sent", "lost")
SKILLS = {"Data Loading with Pandas": "", "Filtering Rows": "", "Group Aggregation": ""}


class TinyWriter:
    name = "tiny 1"

    def drafts(self, material, wanted):
        for number in range(wanted.number):
            place = wanted.seed % 997 + number
            yield _draft(place, material.room) if place % 5 else Rejection(draft=f"none-{place}", reason="no_material")


def _draft(place, room):
    state, factor = STATES[place % 3], place % 7
    tell = f"print(round(sum(int(order['price']) for order in kept) / len(kept) * {factor}, 2))"
    return Draft(
        name=f"mean-{place}",
        writer="template:tiny",
        room=room,
        question=f"What is {factor} times the mean price of all orders whose state is {state}, rounded to two decimals?",
        workflow=Workflow(
            steps=(
                Step(
                    id="s1",
                    skill="Data Loading with Pandas",
                    description="Load the orders.",
                    code=LOAD,
                    reads=("orders.csv",),
                    outputs=("orders",),
                ),
                Step(
                    id="s2",
                    skill="Filtering Rows",
                    description="Keep those of the state.",
                    code=f"kept = [order for order in orders if order['state'] == '{state}']",
                    depends_on=("s1",),
                    inputs=("orders",),
                    outputs=("kept",),
                    without="kept = orders",
                ),
                Step(
                    id="s3",
                    skill="Group Aggregation",
                    description="Tell their mean price.",
                    code=tell,
                    depends_on=("s2",),
                    inputs=("kept",),
                ),
            )
        ),
    )
