from collections import Counter
from itertools import combinations

import pandas as pd

FOLDER = "/data/pizzeria"


def orders():
    halves = [
        pd.read_csv(f"{FOLDER}/orders_2015_first_half.csv.gz"),
        pd.read_parquet(f"{FOLDER}/orders_2015_second_half.parquet"),
    ]
    lines = pd.concat(halves, ignore_index=True)
    return lines.groupby("id")["name"].agg(lambda names: sorted(set(names)))


def menu_types():
    menu = pd.read_json(f"{FOLDER}/menu.json")
    assert menu["name"].is_unique
    return menu.set_index("name")["type"]


single, paired = Counter(), Counter()
baskets = orders()
for basket in baskets:
    single.update(basket)
    paired.update(combinations(basket, 2))

types = menu_types()
count = len(baskets)
rows = []
for (first, second), together in paired.items():
    expected = single[first] / count * single[second] / count
    rows.append((first, second, types[first], types[second], together, together / count / expected))
columns = ["first", "second", "first_type", "second_type", "orders", "lift"]
table = pd.DataFrame(rows, columns=columns)
table = table.sort_values(["orders", "first", "second"], ascending=[False, True, True]).head(5)
table["lift"] = table["lift"].map("{:.3f}".format)
table.to_csv("pairs.csv", index=False)
