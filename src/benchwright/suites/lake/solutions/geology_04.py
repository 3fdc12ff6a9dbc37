import pandas as pd

folder = "/data/earthquakes/strong_motion"
recordings = pd.read_csv(f"{folder}/recordings.csv")
events = pd.read_csv(f"{folder}/events.txt", sep="|")
near = recordings.merge(events, on="event")
near = near[near["dist"] <= 50]
groups = [near[near["mag"] < 6], near[near["mag"] >= 6]]
print("; ".join(f"{len(group)}; {group['accel'].mean():.4f}" for group in groups))
