import pandas as pd

movies = pd.read_parquet("/data/film/imdb_movies.parquet", columns=["length"])
print(f"{movies['length'].mean():.3f}")
