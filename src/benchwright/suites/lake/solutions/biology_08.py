import pandas as pd

crabs = pd.read_parquet("/data/animals/crabs_leptograpsus.parquet")
wide = crabs[crabs["carapace_width"] > 40]
depth = wide.loc[wide["colour"] == "orange", "body_depth"].mean()
print(f"{len(wide)}; {depth:.3f}")
