import pandas as pd

before = pd.read_csv("/data/methods/mass/hills.txt", sep="|").set_index("name")["time"]
after = pd.read_parquet("/data/methods/daag/hills2000.parquet").set_index("name")["time"] * 60
change = (after - before).dropna()
race = change.abs().idxmax()
print(f"{len(change)}; {race}; {change[race]:.2f}")
