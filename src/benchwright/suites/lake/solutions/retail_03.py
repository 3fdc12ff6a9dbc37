import pandas as pd

folder = "/data/pizzeria"
halves = [
    pd.read_csv(f"{folder}/orders_2015_first_half.csv.gz"),
    pd.read_parquet(f"{folder}/orders_2015_second_half.parquet"),
]
orders = pd.concat(halves).merge(pd.read_json(f"{folder}/menu.json"), on="name")
types = orders.groupby("type")["price"].agg(pizzas="size", revenue="sum").sort_values("revenue", ascending=False)
types["revenue"] = types["revenue"].map("{:.2f}".format)
types.to_csv("types.csv")
