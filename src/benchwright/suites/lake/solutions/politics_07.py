import pandas as pd

votes = pd.read_csv("/data/elections/germany/bundestag_2005.tsv", sep="\t", encoding="latin-1", thousands=",")
parties = votes.groupby("party")["votes"].sum()
first = parties.idxmax()
votes["share"] = votes["votes"] / votes.groupby("state")["votes"].transform("sum")
own = votes[votes["party"] == first].set_index("state")["share"]
print(f"{first}; {parties.max()}; {own.idxmax()}")
