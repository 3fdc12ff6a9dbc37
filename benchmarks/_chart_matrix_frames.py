"""The kinds of charts that pandas, seaborn and plotly draw, by name; each import is the library's own."""

import numpy as np

NAMES = list("abcdef")


def pandas_kinds():
    import pandas as pd

    def frame(v):
        return pd.DataFrame({v.labels[0]: v.up, v.labels[1]: v.down}, index=NAMES)

    def months(v):
        return pd.Series(
            v.walk, index=pd.date_range("2022-01-31", periods=30, freq="M" if pd.__version__ < "2.2" else "ME")
        )

    def tall(v):
        return pd.DataFrame({"g": np.repeat(list("uvw"), 20), "x": v.x, "y": v.y + np.repeat(v.up[:3], 20)})

    return {
        "pd line": lambda ax, v: frame(v).plot(ax=ax),
        "pd months": lambda ax, v: months(v).plot(ax=ax),
        "pd bar": lambda ax, v: frame(v).plot.bar(ax=ax),
        "pd stacked": lambda ax, v: frame(v).plot(kind="bar", stacked=True, ax=ax),
        "pd lying": lambda ax, v: frame(v).plot.barh(ax=ax),
        "pd area": lambda ax, v: frame(v).plot.area(ax=ax),
        "pd histogram": lambda ax, v: tall(v)[["x", "y"]].plot.hist(bins=10, alpha=0.5, ax=ax),
        "pd density": lambda ax, v: tall(v)[["x", "y"]].plot.density(ax=ax),
        "pd boxes": lambda ax, v: tall(v)[["x", "y"]].plot.box(ax=ax),
        "pd boxes by": lambda ax, v: tall(v).boxplot("y", by="g", ax=ax),
        "pd scatter": lambda ax, v: tall(v).plot.scatter("x", "y", c="x", ax=ax),
        "pd hexbin": lambda ax, v: tall(v).plot.hexbin("x", "y", gridsize=8, ax=ax),
        "pd pie": lambda ax, v: frame(v)["m"].plot.pie(ax=ax),
    }


def pandas_figures():
    import pandas as pd

    def frame(v):
        return pd.DataFrame({v.labels[0]: v.walk, v.labels[1]: v.walk2})

    return {
        "pd subplots": lambda v: frame(v).plot(subplots=True, title="whole")[0].figure,
        "pd hist": lambda v: frame(v).hist(bins=6).flat[0].figure,
        "pd matrix": lambda v: pd.plotting.scatter_matrix(frame(v)).flat[0].figure,
        "pd right axis": lambda v: frame(v).plot(secondary_y=[v.labels[1]]).figure,
    }


def seaborn_frame(v):
    import pandas as pd

    which = np.repeat([0, 1, 2], 20)
    y = v.y * v.down[which] / 4 + v.up[which] + np.tile([0.0, v.up[4] - v.up[5]], 30)
    return pd.DataFrame({"g": np.repeat(list("uvw"), 20), "x": v.x, "y": y})


def grouped_frame(v):
    """The same with two groups."""
    return seaborn_frame(v).assign(h=np.tile(v.labels, 30))


def seaborn_kinds():
    import seaborn as sns

    f, h = seaborn_frame, grouped_frame
    return {
        "sns line": lambda ax, v: sns.lineplot(
            h(v).assign(x=lambda d: d.x.round()), x="x", y="y", hue="h", seed=1, ax=ax
        ),
        "sns scatter": lambda ax, v: sns.scatterplot(h(v), x="x", y="y", hue="h", ax=ax),
        "sns bar": lambda ax, v: sns.barplot(h(v), x="g", y="y", hue="h", seed=1, ax=ax),
        "sns lying bar": lambda ax, v: sns.barplot(h(v), y="g", x="y", hue="h", seed=1, ax=ax),
        "sns count": lambda ax, v: sns.countplot(h(v)[h(v).y > 5], x="g", hue="h", ax=ax),
        "sns histogram": lambda ax, v: sns.histplot(h(v), x="y", hue="h", kde=True, ax=ax),
        "sns step histogram": lambda ax, v: sns.histplot(h(v), x="y", hue="h", element="step", ax=ax),
        "sns 2-D histogram": lambda ax, v: sns.histplot(f(v), x="x", y="y", ax=ax),
        "sns density": lambda ax, v: sns.kdeplot(h(v), x="y", hue="h", ax=ax),
        "sns filled density": lambda ax, v: sns.kdeplot(h(v), x="y", hue="h", fill=True, ax=ax),
        "sns 2-D density": lambda ax, v: sns.kdeplot(f(v), x="x", y="y", ax=ax),
        "sns ecdf": lambda ax, v: sns.ecdfplot(h(v), x="y", hue="h", ax=ax),
        "sns boxes": lambda ax, v: sns.boxplot(h(v), x="g", y="y", hue="h", ax=ax),
        "sns lying boxes": lambda ax, v: sns.boxplot(f(v), y="g", x="y", ax=ax),
        "sns letters": lambda ax, v: sns.boxenplot(f(v), x="g", y="y", ax=ax),
        "sns violins": lambda ax, v: sns.violinplot(f(v), x="g", y="y", ax=ax),
        "sns split violins": lambda ax, v: sns.violinplot(h(v), x="g", y="y", hue="h", split=True, ax=ax),
        "sns strip": lambda ax, v: sns.stripplot(f(v), x="g", y="y", jitter=False, ax=ax),
        "sns swarm": lambda ax, v: sns.swarmplot(f(v), x="g", y="y", ax=ax),
        "sns points": lambda ax, v: sns.pointplot(h(v), x="g", y="y", hue="h", seed=1, ax=ax),
        "sns regression": lambda ax, v: sns.regplot(f(v), x="x", y="y", seed=1, ax=ax),
        "sns heatmap": lambda ax, v: sns.heatmap(v.matrix, annot=True, ax=ax),
        "sns rug": lambda ax, v: sns.rugplot(f(v), x="y", height=0.5, ax=ax),
    }


def seaborn_figures():
    import seaborn as sns

    f, h = seaborn_frame, grouped_frame
    return {
        "sns facets": lambda v: sns.relplot(h(v), x="x", y="y", col="g", hue="h").figure,
        "sns displot": lambda v: sns.displot(f(v), x="y", col="g").figure,
        "sns catplot": lambda v: sns.catplot(f(v), x="g", y="y", kind="bar", seed=1).figure,
        "sns grid": lambda v: sns.FacetGrid(f(v), col="g").map_dataframe(sns.scatterplot, x="x", y="y").figure,
        "sns joint": lambda v: sns.jointplot(f(v), x="x", y="y").figure,
        "sns joint hex": lambda v: sns.jointplot(f(v), x="x", y="y", kind="hex").figure,
        "sns pairs": lambda v: sns.pairplot(h(v), hue="h").figure,
        "sns cluster": lambda v: sns.clustermap(v.matrix).figure,
        "sns lm": lambda v: sns.lmplot(h(v), x="x", y="y", hue="h", seed=1).figure,
    }


def express_kinds():
    import pandas as pd
    import plotly.express as px

    f, h = seaborn_frame, grouped_frame

    def frame(v):
        return pd.DataFrame({"n": NAMES * 2, "v": [*v.up, *v.down], "h": np.repeat(v.labels, 6)})

    days = pd.date_range("2024-01-01", periods=30)
    return {
        "px line": lambda v: px.line(frame(v), x="n", y="v", color="h"),
        "px dates": lambda v: px.line(x=days, y=v.walk),
        "px bar": lambda v: px.bar(frame(v), x="n", y="v", color="h", barmode="group"),
        "px stacked bar": lambda v: px.bar(frame(v), x="n", y="v", color="h"),
        "px lying bar": lambda v: px.bar(frame(v), y="n", x="v", color="h", orientation="h"),
        "px scatter": lambda v: px.scatter(h(v), x="x", y="y", color="h", size=np.abs(v.x)),
        "px facets": lambda v: px.scatter(f(v), x="x", y="y", facet_col="g"),
        "px histogram": lambda v: px.histogram(h(v), x="y", color="h"),
        "px counts": lambda v: px.histogram(f(v)[f(v).y > 5], x="g"),
        "px box": lambda v: px.box(h(v), x="g", y="y", color="h"),
        "px violin": lambda v: px.violin(f(v), x="g", y="y"),
        "px strip": lambda v: px.strip(f(v), x="g", y="y"),
        "px area": lambda v: px.area(frame(v), x="n", y="v", color="h"),
        "px pie": lambda v: px.pie(names=NAMES, values=v.up),
        "px heatmap": lambda v: px.imshow(v.matrix, x=NAMES, y=NAMES[:5]),
        "px density": lambda v: px.density_heatmap(f(v), x="x", y="y"),
        "px sunburst": lambda v: px.sunburst(frame(v), path=["h", "n"], values="v"),
        "px treemap": lambda v: px.treemap(frame(v), path=["h", "n"], values="v"),
        "px funnel": lambda v: px.funnel(x=v.up, y=NAMES),
        "px timeline": lambda v: px.timeline(
            pd.DataFrame({"s": days[:6], "e": days[:6] + pd.to_timedelta(v.up, "D"), "n": NAMES}),
            x_start="s",
            x_end="e",
            y="n",
        ),
        "px polar": lambda v: px.line_polar(r=v.up, theta=NAMES, line_close=True),
        "px 3-D": lambda v: px.scatter_3d(x=v.x, y=v.y, z=v.x * v.y),
        "px parallel": lambda v: px.parallel_coordinates(pd.DataFrame({"x": v.x, "y": v.y}), color=v.x),
        "px map": lambda v: px.choropleth(locations=["USA", "FRA", "DEU", "ITA", "ESP", "GBR"], color=v.up),
        "px error bars": lambda v: px.scatter(x=NAMES, y=v.up, error_y=v.down / 9),
    }


def graph_kinds():
    import pandas as pd
    import plotly.graph_objects as go

    days = pd.date_range("2024-01-01", periods=6)
    return {
        "go contour": lambda v: go.Figure(go.Contour(z=v.hills)),
        "go surface": lambda v: go.Figure(go.Surface(z=v.hills)),
        "go candlestick": lambda v: go.Figure(
            go.Candlestick(x=days, open=v.up, high=v.up + 2, low=v.up - 1, close=v.up + 1)
        ),
        "go waterfall": lambda v: go.Figure(go.Waterfall(x=NAMES, y=v.up - 5)),
        "go indicator": lambda v: go.Figure(go.Indicator(mode="number", value=v.up[0])),
        "go sankey": lambda v: go.Figure(
            go.Sankey(node={"label": NAMES}, link={"source": [0, 1, 2], "target": [3, 4, 5], "value": v.up[:3]})
        ),
        "go table": lambda v: go.Figure(go.Table(header={"values": ["n", "v"]}, cells={"values": [NAMES, v.up]})),
        "go subplots": side_by_side,
        "go right axis": right_axis,
        "go radar": lambda v: go.Figure(go.Scatterpolar(r=v.up, theta=NAMES, fill="toself")),
    }


def side_by_side(v):
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    figure = make_subplots(rows=1, cols=2, subplot_titles=["left", "right"])
    figure.add_trace(go.Scatter(y=v.walk, name=v.labels[0]), 1, 1)
    figure.add_trace(go.Bar(x=NAMES, y=v.up, name=v.labels[1]), 1, 2)
    return figure


def right_axis(v):
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    figure = make_subplots(specs=[[{"secondary_y": True}]])
    figure.add_trace(go.Bar(x=NAMES, y=v.up, name=v.labels[0]))
    figure.add_trace(go.Scatter(x=NAMES, y=v.down, name=v.labels[1]), secondary_y=True)
    return figure
