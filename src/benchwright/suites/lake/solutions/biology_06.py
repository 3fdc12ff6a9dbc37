import pandas as pd

trials = pd.read_json("/data/field_trials/barley_minnesota.json")
means = trials.pivot_table(index="site", columns="year", values="yield", aggfunc="mean")
difference = means[1932] - means[1931]
site = difference.idxmax()
print(f"{site}; {difference[site]:.2f}")
