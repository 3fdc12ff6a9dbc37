import pandas as pd

index = pd.read_csv("/data/freedom/human_freedom_index.csv.gz")
means = index.pivot_table(index="region", columns="year", values="human_freedom", aggfunc="mean")[[2008, 2016]]
means.columns = ["score_2008", "score_2016"]
means["change"] = means["score_2016"] - means["score_2008"]
means.map("{:.3f}".format).to_csv("regions.csv")
