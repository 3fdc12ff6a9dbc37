"""Twenty questions about data with answers, written for this benchmark: what people ask and how they are helped."""

TEXTS = [
    (
        "Dates come in two formats",
        "My CSV has dates like 2021-03-04 and 04.03.2021 in one column. How do I get real dates?",
        "Parse each format on its own and take what worked. errors='coerce' turns the rest into NaT.",
        (
            "df = pd.read_csv('log.csv')\niso = pd.to_datetime(df['day'], format='%Y-%m-%d', errors='coerce')\n"
            "ger = pd.to_datetime(df['day'], format='%d.%m.%Y', errors='coerce')\ndf['day'] = iso.fillna(ger)"
        ),
    ),
    (
        "Monthly mean per station",
        "I have one row per hour and station and want the monthly mean of each station.",
        "Set the time as index, group by station and resample.",
        "means = (df.set_index('time').groupby('station')['temp'].resample('MS').mean().reset_index())",
    ),
    (
        "Join prices to the last known rate",
        "Trades and exchange rates have different times. Each trade should get the last rate before it.",
        "That is what merge_asof does; both tables have to be sorted by time.",
        (
            "trades = trades.sort_values('time')\nrates = rates.sort_values('time')\n"
            "out = pd.merge_asof(trades, rates, on='time', by='currency', direction='backward')"
        ),
    ),
    (
        "Find duplicates that differ in case",
        "Customer names appear as 'ACME ' and 'acme'. How do I count each customer once?",
        "Normalise the names first, then drop duplicates.",
        "df['key'] = df['name'].str.strip().str.casefold()\nprint(df.drop_duplicates('key').shape[0])",
    ),
    (
        "Fill gaps but only short ones",
        "A sensor drops out. Gaps of up to three readings should be interpolated, longer ones stay empty.",
        "interpolate has a limit, but it fills the first three of a long gap too, so mask those again.",
        (
            "gap = s.isna().groupby(s.notna().cumsum()).transform('sum')\nfilled = s.interpolate(limit_area='inside')\n"
            "result = filled.where(gap <= 3, s)"
        ),
    ),
    (
        "Outliers by group",
        "How can I drop rows whose weight is an outlier for their species?",
        "Use the interquartile range within each group.",
        (
            "q = df.groupby('species')['weight'].quantile([0.25, 0.75]).unstack()\nq['iqr'] = q[0.75] - q[0.25]\n"
            "j = df.join(q, on='species')\nok = j[j['weight'].between(j[0.25] - 1.5 * j['iqr'], j[0.75] + 1.5 * j['iqr'])]"
        ),
    ),
    (
        "JSON in a column",
        'One column holds JSON text such as {"a": 1, "b": {"c": 2}}. I want columns a and b.c.',
        "Load every cell and flatten the result.",
        "parsed = df['payload'].map(json.loads)\nflat = pd.json_normalize(parsed.tolist())\nout = df.join(flat)",
    ),
    (
        "Read many files into one table",
        "There are 300 CSV files, one a day, with the date in the file name only.",
        "Collect them with glob, read each, add the date from its name, and concatenate.",
        (
            "frames = []\nfor path in sorted(Path('data').glob('*.csv')):\n    frame = pd.read_csv(path)\n"
            "    frame['day'] = pd.to_datetime(path.stem)\n    frames.append(frame)\nall_days = pd.concat(frames, ignore_index=True)"
        ),
    ),
    (
        "Wide survey to long",
        "A survey has columns q1..q20. For a plot I need one row per person and question.",
        "Melt the table, and take the number out of the name.",
        (
            "long = df.melt(id_vars='person', var_name='question', value_name='answer')\n"
            "long['question'] = long['question'].str.extract(r'(\\d+)').astype(int)"
        ),
    ),
    (
        "Share of each category",
        "How do I get the percentage of each product within its region?",
        "Divide by the sum of the group.",
        "df['share'] = df['sales'] / df.groupby('region')['sales'].transform('sum') * 100",
    ),
    (
        "Is the difference significant?",
        "Two page versions have 1,200 and 1,300 visitors with 96 and 143 sign-ups. Is B better?",
        "Test the two proportions; a confidence interval tells more than the p-value alone.",
        "stat, p = proportions_ztest([96, 143], [1200, 1300])\nlow, high = confint_proportions_2indep(143, 1300, 96, 1200)",
    ),
    (
        "Predict churn with missing values",
        "I want a first model of churn; numbers are missing and there are text categories.",
        "Put the steps in one pipeline, so that nothing is learnt from the test folds.",
        (
            "numbers = make_pipeline(SimpleImputer(strategy='median'), StandardScaler())\n"
            "prepare = ColumnTransformer([('n', numbers, nums), ('c', OneHotEncoder(handle_unknown='ignore'), cats)])\n"
            "model = make_pipeline(prepare, LogisticRegression(max_iter=1000))\n"
            "print(cross_val_score(model, X, y, scoring='roc_auc', cv=5).mean())"
        ),
    ),
    (
        "Bars in the order of their height",
        "seaborn draws my bars in the order of the file. How do I sort them and write the values on top?",
        "Give the order, and label the containers.",
        (
            "order = df.groupby('city')['n'].sum().sort_values(ascending=False).index\n"
            "ax = sns.barplot(data=df, x='city', y='n', order=order, estimator=sum)\nax.bar_label(ax.containers[0])\n"
            "plt.tight_layout()\nplt.savefig('cities.png', dpi=150)"
        ),
    ),
    (
        "The file does not fit into memory",
        "A 40 GB CSV: I need the sum of amount by country.",
        "Let DuckDB stream it; no need to load anything.",
        "out = duckdb.sql(\"SELECT country, sum(amount) AS total FROM read_csv_auto('big.csv') GROUP BY country\").df()",
    ),
    (
        "Encoding trouble",
        "read_csv says 'utf-8' codec can't decode byte 0xe4. The file comes from an old German system.",
        "It is Latin-1 or Windows-1252. Read with that encoding, mind the decimal comma, and save as UTF-8.",
        "df = pd.read_csv('alt.csv', encoding='cp1252', sep=';', decimal=',')\ndf.to_csv('new.csv', index=False, encoding='utf-8')",
    ),
    (
        "Rolling correlation",
        "How does the correlation of two returns change over time?",
        "Compute returns, then a rolling correlation of 60 days.",
        "r = prices[['a', 'b']].pct_change().dropna()\ncorr = r['a'].rolling(60).corr(r['b'])\ncorr.plot(title='60 days')",
    ),
    (
        "Number the visits of each user",
        "A new visit begins after 30 minutes without a click. How do I number visits?",
        "Compare each time with the one before, and sum the beginnings up.",
        (
            "df = df.sort_values(['user', 'time'])\nnew = df.groupby('user')['time'].diff() > pd.Timedelta('30min')\n"
            "df['visit'] = new.groupby(df['user']).cumsum()"
        ),
    ),
    (
        "Similar company names",
        "Two lists of companies spell names differently. How do I match them?",
        "Compare with a fuzzy scorer, and keep only good matches.",
        (
            "from rapidfuzz import fuzz, process\nfor name in left:\n"
            "    match, score, _ = process.extractOne(name, right, scorer=fuzz.token_sort_ratio)\n"
            "    pairs.append((name, match if score >= 90 else None))"
        ),
    ),
    (
        "How many clusters?",
        "I cluster customers by three numbers. How many clusters should I take?",
        "Scale first, then compare silhouettes.",
        (
            "X = StandardScaler().fit_transform(df[['age', 'spend', 'visits']])\nfor k in range(2, 9):\n"
            "    labels = KMeans(n_clusters=k, n_init=10, random_state=0).fit_predict(X)\n"
            "    print(k, silhouette_score(X, labels))"
        ),
    ),
    (
        "Pivot with totals",
        "I need a table of regions by quarters with sums and totals, for Excel.",
        "pivot_table has margins; write it with a formatter.",
        (
            "t = df.pivot_table(index='region', columns='quarter', values='sales', aggfunc='sum', margins=True, margins_name='Total')\n"
            "t.to_excel('report.xlsx', sheet_name='sales')"
        ),
    ),
]
