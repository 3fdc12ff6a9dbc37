import pandas as pd

quakes = pd.read_json("/data/earthquakes/notable_20th_century.json")
continents = pd.read_csv("/data/earthquakes/country_continents.csv", sep=";")
both = quakes.merge(continents, left_on="region", right_on="country")
asia = both[both["continent"] == "Asia"]
print(f"{len(asia)}; {asia['deaths'].sum():.0f}; {asia['country'].value_counts().idxmax()}")
