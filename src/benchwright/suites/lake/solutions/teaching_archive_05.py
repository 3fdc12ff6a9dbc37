import pandas as pd

folder = "/data/methods/daag"
eggs = pd.read_csv(f"{folder}/cuckoos.csv")
hosts = pd.read_excel(f"{folder}/cuckoohosts.xlsx", sheet_name="hosts").dropna(subset=["hlength"])
means = eggs.groupby("species")["length"].agg(eggs="size", cuckoo_length="mean").reset_index()
both = means.merge(hosts[["name", "hlength"]], left_on="species", right_on="name").sort_values("species")
both["difference"] = (both["cuckoo_length"] - both["hlength"]).map("{:.3f}".format)
both["cuckoo_length"] = both["cuckoo_length"].map("{:.3f}".format)
both = both.rename(columns={"hlength": "host_length"})
both[["species", "eggs", "cuckoo_length", "host_length", "difference"]].to_csv("eggs.csv", index=False)
