import pandas as pd

loans = pd.read_csv("/data/credit/loans_sample_2018.csv.gz")
names = pd.read_csv("/data/credit/state_names.txt", sep="|")
loans["rate"] = loans["interest_rate"].str.rstrip("%").astype(float)
table = loans.groupby("state").agg(loans=("rate", "size"), amount=("loan_amount", "median"), rate=("rate", "mean"))
top = table.sort_values("loans", ascending=False).head(5).reset_index()
top = top.merge(names, left_on="state", right_on="stateabb", how="left")
result = pd.DataFrame(
    {
        "state": top["statename"],
        "loans": top["loans"],
        "median_amount": top["amount"].map("{:.0f}".format),
        "mean_rate": top["rate"].map("{:.3f}".format),
    }
)
result.to_csv("states.csv", index=False)
