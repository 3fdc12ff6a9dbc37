import pandas as pd

panel = pd.read_csv("/data/usa/states/production_panel.csv")
states = pd.read_csv("/data/usa/states/state_regions.csv", encoding="utf-16")
last = panel[panel["year"] == 1986].copy()
last["key"] = last["state"].str.replace("_", " ").str.lower().str.strip()
states["key"] = states["statename"].str.lower()
both = last.merge(states[["key", "region"]], on="key", validate="one_to_one")
both["weighted"] = both["unemp"] * both["emp"]
sums = both.groupby("region").agg(
    states=("key", "size"), gsp=("gsp", "sum"), weighted=("weighted", "sum"), emp=("emp", "sum")
)
sums["unemployment"] = (sums["weighted"] / sums["emp"]).map("{:.3f}".format)
sums.reset_index()[["region", "states", "gsp", "unemployment"]].to_csv("regions.csv", index=False)
