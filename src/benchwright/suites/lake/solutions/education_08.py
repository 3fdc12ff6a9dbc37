import pandas as pd
from scipy import stats

counts = pd.read_csv("/data/universities/berkeley_admissions_1973.csv")
overall = counts.pivot_table(index="Gender", columns="Admit", values="Freq", aggfunc="sum")
test = stats.chi2_contingency(overall, correction=False)
applied = counts.groupby(["Dept", "Gender"])["Freq"].sum()
admitted = counts[counts["Admit"] == "Admitted"].set_index(["Dept", "Gender"])["Freq"]
share = (admitted / applied).unstack("Gender")
ahead = share.index[share["Female"] > share["Male"]]
print(f"{test.statistic:.3f}; {'yes' if test.pvalue < 0.01 else 'no'}; {', '.join(sorted(ahead))}")
