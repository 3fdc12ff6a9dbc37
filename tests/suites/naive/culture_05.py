import pandas as pd

licences = pd.read_csv("/data/pets/seattle_licences.csv.gz", dtype=str)
issued = pd.to_datetime(licences["license_issue_date"], format="%B %d %Y")
cats = licences[(licences["species"] == "Cat") & (issued.dt.year == 2018)]
print(f"{len(cats)}; {cats['animal_name'].value_counts().idxmax()}")
