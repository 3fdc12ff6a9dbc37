import numpy as np
import pandas as pd

trials = pd.read_csv("/data/experiments/sleep_deprivation_reaction.csv", sep=";", decimal=",")
rows = []
for subject, own in trials.groupby("subject"):
    slope, intercept = np.polyfit(own["day"], own["reaction_ms"], 1)
    rows.append((subject, intercept, slope))
lines = pd.DataFrame(rows, columns=["subject", "intercept", "slope"])
top = lines.sort_values("slope", ascending=False).head(5)
top[["intercept", "slope"]] = top[["intercept", "slope"]].map("{:.3f}".format)
top.to_csv("slopes.csv", index=False)
