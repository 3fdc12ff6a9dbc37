import pandas as pd

surveys = pd.read_csv("/data/long_term/portal/surveys.csv.gz", keep_default_na=False, na_values=[""])
reference = pd.read_excel(
    "/data/long_term/portal/reference.xlsx", sheet_name=["species", "plots"], keep_default_na=False
)
caught = surveys.merge(reference["species"], on="species_id").merge(reference["plots"], on="plot_id")
chosen = caught[(caught["taxa"] == "Rodent") & (caught["plot_type"] == "Control") & caught["weight"].notna()]
table = chosen.groupby(["genus", "species"])["weight"].agg(["size", "mean"]).reset_index()
table.columns = ["genus", "species", "weighings", "mean_weight"]
top = table.sort_values("weighings", ascending=False).head(8)
top["mean_weight"] = top["mean_weight"].map("{:.2f}".format)
top.to_csv("rodents.csv", index=False)
