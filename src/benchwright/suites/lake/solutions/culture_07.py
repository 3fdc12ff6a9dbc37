import pandas as pd

films = pd.read_csv("/data/film/marvel_universe.csv", sep=";")
for column in ("opening_weekend_us", "gross_world"):
    films[column] = films[column].str.replace("$", "").str.replace(",", "").astype("int64")
share = films["opening_weekend_us"] / films["gross_world"] * 100
print(f"{films['gross_world'].sum()}; {films.loc[share.idxmax(), 'movie']}; {share.max():.1f}%")
