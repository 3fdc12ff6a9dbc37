import pandas as pd

sleep = pd.read_csv("/data/animals/mammal_sleep.tsv", sep="\t")
life = pd.read_json("/data/animals/mammals/body_brain_life.json")
sleep["key"] = sleep["name"].str.replace(" ", "").str.lower()
life["key"] = life["species"].str.replace(" ", "").str.lower()
both = sleep.merge(life, on="key")
known = both[["sleep_total", "life_span"]].dropna()
correlation = known["sleep_total"].rank().corr(known["life_span"].rank())
print(f"{len(both)}; {correlation:.3f}")
