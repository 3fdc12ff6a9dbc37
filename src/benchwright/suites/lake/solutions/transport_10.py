import pandas as pd

belts = pd.read_csv("/data/road/seat_belts_us_states.csv", na_values=".")
names = pd.read_csv("/data/road/state_names.tsv", sep="\t")
belts["rate"] = pd.to_numeric(belts["seatbelt"].str.rstrip("%"))
last = belts[(belts["year"] == 1997) & belts["rate"].notna()]
rates = last.groupby("enforce")["rate"].mean()
lowest = last.loc[last["rate"].idxmin(), "state"]
name = names.set_index("stateabb").loc[lowest, "statename"]
print(f"{rates['primary']:.3f}%; {rates['secondary']:.3f}%; {name}")
