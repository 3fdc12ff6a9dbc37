"""Tasks of neighbours and clusters, with everything stated that decides."""

from __future__ import annotations

from random import Random

from benchwright.generation.templates.base import Template, load, one, some
from benchwright.generation.templates.drafting import Move, Sketch, answer, explained, numbers, rounded
from benchwright.generation.templates.regressions import columns_code
from benchwright.generation.templates.tables import Source
from benchwright.generation.templates.wording import listed


def nearest_neighbours(source: Source, rng: Random) -> Sketch | None:
    """How often the nearest neighbours name a row's group rightly."""
    groups = [f for f in source.groups if f.column.distinct <= 6 and not f.column.nulls]
    if not groups or len(source.complete_measures) < 2 or not 60 <= source.rows <= 6000:
        return None
    group = one(rng, groups)
    fields = some(rng, source.complete_measures, min(4, len(source.complete_measures)))
    cut = "KNeighborsClassifier"
    moves = (
        load(source),
        Move(
            ("Data Splitting and Sampling", "Data Splitting and Leakage Prevention"),
            "Hold out every third row.",
            "held = np.arange(len(df)) % 3 == 2\ntrain, test = df[~held], df[held]",
            "held = np.arange(len(df)) % 3 == 2\ntrain, test = df, df[held]",
        ),
        Move(
            ("Data Normalization and Standardization", "Preprocessing and Scaling"),
            "Standardise by mean and deviation of the training rows.",
            f"mean, deviation = train[{columns_code(fields)}].mean(), train[{columns_code(fields)}].std(ddof=0)\n"
            f"A, B = (train[{columns_code(fields)}] - mean) / deviation, (test[{columns_code(fields)}] - mean) / "
            "deviation",
            f"A, B = train[{columns_code(fields)}], test[{columns_code(fields)}]",
        ),
        Move(
            (
                "KNN and Nearest Neighbor Techniques",
                "Classification and Prediction Modeling",
            ),
            "Let the nearest training row decide.",
            f"from sklearn.neighbors import {cut}\n"
            f"model = {cut}(n_neighbors=1).fit(A.to_numpy(), train[{group.q}])\npredicted = "
            "model.predict(B.to_numpy())",
            f"predicted = np.full(len(test), train[{group.q}].mode()[0], dtype=object)",
        ),
        Move(
            ("Model Evaluation Metrics",),
            "Take the mean of the groups' recalls.",
            f"right = pd.Series(predicted == test[{group.q}].to_numpy())\n"
            f"recalls = right.groupby(test[{group.q}].to_numpy()).mean()\nprint(f'{{right.mean():.4f}}; "
            f"{{recalls.mean():.4f}}')",
            f"right = pd.Series(predicted == test[{group.q}].to_numpy())\nprint(f'{{right.mean():.4f}}; "
            f"{{right.mean():.4f}}')",
        ),
    )
    question = (
        f"How well does the single nearest neighbour in {listed([f.shown for f in fields])} predict {group.shown} in "
        f"{source.has_rows}? Give the accuracy on the test rows and the balanced accuracy."
    )
    method = (
        "Count rows from 0 in the order of the file: rows whose number leaves remainder 2 when divided by 3 are test "
        "rows, all others training rows. Standardise each column by mean and population standard deviation of the "
        "training rows, and use Euclidean distance. Balanced accuracy is the mean recall over the groups that occur "
        "among the test rows."
    )
    form = numbers("accuracy", "balanced accuracy", decimals=4)
    return Sketch((source,), question, moves, explained(method, form))


def clusters(source: Source, rng: Random) -> Sketch | None:
    """Two means from stated first centres, and what the clusters are like."""
    if len(source.complete_measures) < 2 or not 40 <= source.rows <= 8000:
        return None
    fields = some(rng, source.complete_measures, min(3, len(source.complete_measures)))
    turns = one(rng, (5, 10, 15))
    moves = (
        load(source),
        Move(
            ("Preprocessing and Scaling", "Data Normalization and Standardization"),
            "Standardise the columns.",
            f"part = df[{columns_code(fields)}].to_numpy(dtype=float)\nZ = (part - part.mean(axis=0)) / "
            "part.std(axis=0)",
            f"Z = df[{columns_code(fields)}].to_numpy(dtype=float)",
        ),
        Move(
            ("Clustering and Hierarchical Methods",),
            "Move the two centres to the means of their rows, again and again.",
            "centres = Z[[0, -1]]\n"
            f"for turn in range({turns}):\n"
            "    nearest = ((Z[:, None, :] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)\n"
            "    centres = np.array([Z[nearest == k].mean(axis=0) if (nearest == k).any() else centres[k] for k "
            "in (0, 1)])",
            "centres = Z[[0, -1]]",
        ),
        Move(
            ("Cluster Label Assignment", "Clustering and Post-Processing"),
            "Give each row to its nearest centre, and measure what is left.",
            "distance = ((Z[:, None, :] - centres[None]) ** 2).sum(axis=2)\n"
            "labels = distance.argmin(axis=1)\nprint(f'{(labels == 0).sum()}; {distance.min(axis=1).sum():.3f}')",
        ),
    )
    question = (
        f"Cluster the rows of {source.has_rows} into two by k-means on {listed([f.shown for f in fields])}, with "
        "exactly "
        f"{turns} rounds. How many rows end in the cluster that began with the first row, and what is the sum of "
        "squared "
        "distances of all rows to their centre?"
    )
    method = (
        "Standardise each column with its population standard deviation. The first centres are the first and the "
        "last row "
        "of the file. A round assigns all rows to the nearest centre and moves the centres to the means (Lloyd's "
        "algorithm). After the last round assign once more. The sum is in standardised units."
    )
    form = f"Answer as: number of rows; sum of squares. The sum{rounded(3)}."
    return Sketch((source,), question, moves, explained(method, answer(form, 3)))


TEMPLATES = (
    Template("nearest_neighbours", nearest_neighbours),
    Template("two_clusters", clusters),
)
