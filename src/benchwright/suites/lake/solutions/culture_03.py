import pandas as pd

ratings = pd.read_csv("/data/film/ratings/user_ratings.csv.gz")
films = pd.read_json("/data/film/ratings/films.jsonl", lines=True)
noir = films[films["genres"].str.split("|").map(lambda genres: "Film-Noir" in genres)]
table = ratings.merge(noir, on="movieId").groupby(["movieId", "title", "year"])["rating"]
table = table.agg(ratings="size", mean_rating="mean").reset_index()
best = table[table["ratings"] >= 20].sort_values(["mean_rating", "title"], ascending=[False, True]).head(8)
best["year"] = best["year"].astype(int)
best["mean_rating"] = best["mean_rating"].map("{:.3f}".format)
best[["title", "year", "ratings", "mean_rating"]].to_csv("noir.csv", index=False)
