import pandas as pd

panel = pd.read_csv("/data/world/gapminder_five_yearly.csv")
codes = pd.read_json("/data/world/codes/country_codes.jsonl", lines=True)
wide = panel.pivot(index="country", columns="year", values="life_expectancy")
gains = (wide[2007] - wide[1952]).rename("gain").reset_index().merge(codes, on="country")
top = gains.sort_values("gain", ascending=False).head(6)
top["gain"] = top["gain"].map("{:.3f}".format)
top.rename(columns={"iso_alpha": "iso"})[["iso", "country", "gain"]].to_csv("gains.csv", index=False)
