import pandas as pd

book = pd.read_excel("/data/telecom/subscribers_contracts.xlsx", sheet_name=["contracts", "charges"])
customers = book["contracts"].merge(book["charges"], on="customer")
customers["left"] = (customers["churn"] == "Yes") * 100
table = customers.groupby("contract").agg(
    customers=("customer", "size"), churned=("left", "mean"), monthly=("monthly_charges", "mean")
)
table["churned"] = table["churned"].map("{:.1f}".format)
table["monthly"] = table["monthly"].map("{:.2f}".format)
table.to_csv("contracts.csv")
