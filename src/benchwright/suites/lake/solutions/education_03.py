import pandas as pd

folder = "/data/schools/high_schools"
pupils = pd.read_csv(f"{folder}/math_achievement_pupils.csv.gz")
schools = pd.read_csv(f"{folder}/schools.txt", sep="|")
both = pupils.merge(schools[["School", "Sector"]], on="School", validate="many_to_one")
means = both.groupby("Sector")["MathAch"].mean()
minority = both[both["Minority"] == "Yes"]["Sector"].value_counts()
values = [f"{means[sector]:.3f}" for sector in ("Catholic", "Public")]
values += [str(minority[sector]) for sector in ("Catholic", "Public")]
print("; ".join(values))
