import numpy as np
import pandas as pd

FOLDER = "/data/usa/states"
FIRST, LAST = 1970, 1986


def panel():
    frame = pd.read_csv(f"{FOLDER}/production_panel.csv")
    frame["key"] = frame["state"].str.replace("_", " ").str.strip().str.lower()
    frame = frame[frame["year"].isin([FIRST, LAST])].copy()
    frame["output"] = np.log(frame["gsp"] / frame["emp"])
    wide = frame.pivot(index="key", columns="year", values="output")
    assert wide.notna().all().all()
    years = LAST - FIRST
    growth = (wide[LAST] - wide[FIRST]) / years
    return pd.DataFrame({"start": wide[FIRST], "growth": growth}).reset_index()


def regions():
    frame = pd.read_csv(f"{FOLDER}/state_regions.csv", encoding="utf-16")
    frame["key"] = frame["statename"].str.lower()
    return frame[["key", "statename", "region"]]


def row(name, states):
    slope, _ = np.polyfit(states["start"], states["growth"], 1)
    r_squared = np.corrcoef(states["start"], states["growth"])[0, 1] ** 2
    fastest = states.loc[states["growth"].idxmax(), "statename"]
    return (name, len(states), f"{slope:.5f}", f"{r_squared:.4f}", fastest)


output = panel()
states = output.merge(regions(), on="key", validate="one_to_one")
assert len(states) == len(output)
assert states["region"].nunique() == 4
rows = [row(region, group) for region, group in states.groupby("region")]
rows.append(row("All", states))
columns = ["region", "states", "slope", "r_squared", "fastest"]
pd.DataFrame(rows, columns=columns).to_csv("convergence.csv", index=False)
