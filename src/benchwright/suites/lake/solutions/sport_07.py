import pandas as pd

runners = pd.read_csv("/data/running/ten_mile_race.csv.gz")
women = runners[(runners["state"] == "VA") & (runners["sex"] == "F")]
print(f"{women['net'].quantile(0.9) / 60:.2f}; {len(women)}")
