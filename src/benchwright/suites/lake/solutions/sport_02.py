import pandas as pd

races = pd.read_csv("/data/running/scottish_hill_races_2000.txt", sep="|")
print(f"{races['climb_feet'].median():.0f}")
