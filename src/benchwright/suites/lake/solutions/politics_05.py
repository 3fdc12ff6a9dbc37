import pandas as pd

stops = pd.read_csv("/data/crime/minneapolis/stops_2017.csv.gz")
areas = pd.read_json("/data/crime/minneapolis/neighbourhoods.jsonl", lines=True).set_index("neighborhood")
counts = stops[stops["problem"] == "traffic"]["neighborhood"].value_counts()
often = counts[counts >= 300].rename("stops")
both = areas.join(often, how="inner")
both["rate"] = both["stops"] / both["population"] * 1000
top = both["rate"].idxmax()
print(f"{top}; {both.loc[top, 'rate']:.1f}; {both.loc[top, 'hhIncome']:.0f}")
