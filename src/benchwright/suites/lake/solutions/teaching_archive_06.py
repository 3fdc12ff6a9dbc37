import numpy as np
import pandas as pd

folder = "/data/methods/mass"
animals = pd.read_csv(f"{folder}/animals.csv", sep=";", decimal=",")
mammals = pd.read_json(f"{folder}/mammals.jsonl", lines=True)
animals["key"], mammals["key"] = animals["name"].str.lower(), mammals["name"].str.lower()
matched = animals[animals["key"].isin(mammals["key"])].set_index("key")
ratio = matched["brain"] / matched["body"]
others = mammals[~mammals["key"].isin(animals["key"])]
correlation = np.log10(others["body"]).corr(np.log10(others["brain"]))
print(f"{len(matched)}; {ratio.idxmax()}; {ratio.max():.2f}; {correlation:.4f}")
