import pandas as pd
from scipy import stats

births = pd.read_csv("/data/cohorts/birth_weight_baystate.csv")
weights = [births.loc[births["smoker"] == code, "birth_weight_g"] for code in (1, 0)]
test = stats.ttest_ind(*weights, equal_var=False)
print(f"{test.statistic:.3f}; {test.pvalue:.4f}; {'yes' if test.pvalue < 0.01 else 'no'}")
