import pandas as pd

winners = pd.read_csv("/data/film/academy_award_actors.csv", encoding="latin-1")
print(f"{winners['age'].mean():.3f}")
