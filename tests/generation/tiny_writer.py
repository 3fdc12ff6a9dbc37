"""A writer for tests: prices of each state, some drafts wrong in ways that only running shows, some nearly the same."""

from benchwright.generation.workflow import Draft, Rejection, Step, Workflow

LOAD = 'import csv\nwith open("/data/orders.csv") as stream:\n    orders = list(csv.DictReader(stream))'
STATES = ("open", "sent", "lost")
ASKED = (
    ("What is nought times the mean price of all orders whose state is {}?", "0 * sum(prices)"),
    ("What is the mean price of all orders whose state is {}, rounded to two decimals?", "sum(prices) / len(prices)"),
    ("What is the mean price of all orders whose state is {}, rounded to 2 decimals?", "sum(prices) / len(kept)"),
    ("How far apart are the dearest and the cheapest of the {} orders?", "max(prices) - min(prices)"),
    ("Add up what customers were charged for {} orders. What total comes out?", "sum(prices)"),
    ("Which percentage of orders marked {}, to two decimals, went above 250?", "100 * above / len(prices)"),
    (
        "Sort {} orders by price: what stands in the middle (the lower one of two)?",
        "sorted(prices)[(len(kept) - 1) // 2]",
    ),
    ("Among {} orders, what is the mean of squared prices, rounded to two decimals?", "squares / len(prices)"),
)
SKILLS = {"Data Loading with Pandas": "", "Filtering Rows": "", "Group Aggregation": ""}


class TinyWriter:
    name = "tiny 1"

    def drafts(self, material, wanted):
        for number in range(wanted.number):
            place = wanted.seed % 997 + number
            yield _draft(place, material.room) if place % 5 else Rejection(draft=f"none-{place}", reason="no_material")


def _draft(place, room):
    question, answer = ASKED[place % 8]
    state = STATES[place % 3]
    tell = (
        "prices = [int(order['price']) for order in kept]\n"
        "above, squares = sum(price > 250 for price in prices), sum(price * price for price in prices)\n"
        f"print(round({answer}, 2))"
    )
    return Draft(
        name=f"price-{place}",
        writer="template:tiny",
        room=room,
        question=question.format(state),
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
