"""How alike data sets and files are by what they are called, what their columns are called, and what they hold."""

from __future__ import annotations

import re
from collections.abc import Collection as Sized
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from benchwright.generation.rooms.datasets import Collection
from benchwright.profiles.entries import FileProfile
from benchwright.profiles.relations import Join, Relation, Repeat

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[Any]

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+")
NAMED_ALIKE = 0.5
"""Words in common, over all words of two columns' names."""

_EMPTY_WORDS = frozenset(("data", "dataset", "file", "final", "table", "source", "the", "of", "and", "csv", "unnamed"))


@dataclass(frozen=True, slots=True)
class Contents:
    """What is known of the files of a folder: their profiles by path, and the relations of their tables."""

    entries: Mapping[str, FileProfile]
    relations: Sequence[Relation] = field(default=())

    def columns(self, path: str) -> frozenset[str]:
        """The names of a file's columns, of all its tables, without case."""
        entry = self.entries.get(path)
        tables = entry.all_tables if entry else ()
        return frozenset(column.name.strip().casefold() for table in tables for column in table.columns) - {""}


def words(name: str) -> list[str]:
    """The words of a name, without case, numbers and plural endings."""
    found = (word.lower() for word in _WORD.findall(name))
    return [word.removesuffix("s") or word for word in found if word not in _EMPTY_WORDS and len(word) > 1]


def stem_words(path: str) -> frozenset[str]:
    """The words of a file's name, without its suffixes."""
    return frozenset(words(PurePosixPath(path).name.partition(".")[0]))


def topic_words(collection: Collection, contents: Contents) -> list[list[str]]:
    """For each data set the words of its name, its files' names and their columns' names; each name counts once."""
    found = []
    for dataset in collection.datasets:
        names = {dataset.name, *(part for path in dataset.files for part in PurePosixPath(path).with_suffix("").parts)}
        names |= set(chain.from_iterable(contents.columns(path) for path in dataset.files))
        found.append([word for name in sorted(names) for word in words(name)])
    return found


def topics(documents: Sequence[Sequence[str]]) -> tuple[Matrix, list[tuple[str, ...]]]:
    """Cosines between lists of words weighted by TF-IDF, and the five words that tell most of each."""
    import numpy as np
    from sklearn.feature_extraction.text import TfidfVectorizer

    if not any(documents):
        return np.zeros((len(documents), len(documents))), [()] * len(documents)
    weighing = TfidfVectorizer(analyzer=list, sublinear_tf=True)
    weighted = weighing.fit_transform(documents)
    vocabulary = weighing.get_feature_names_out()
    telling = []
    for row in weighted:
        order = sorted(zip(-row.data, (vocabulary[place] for place in row.indices), strict=True))
        telling.append(tuple(str(word) for _, word in order[:5]))
    return np.asarray((weighted @ weighted.T).toarray()), telling


def shares_of_sets(sets: Sequence[Sized[str]], *, rare_counts_more: bool = False) -> Matrix:
    """What each two sets have in common over all they have (Jaccard); a set without elements is like no other.

    With `rare_counts_more` an element weighs the logarithm of how rare it is among the sets.
    """
    import numpy as np
    from scipy.sparse import csr_matrix

    elements = {element: place for place, element in enumerate(sorted(set().union(*sets)))}
    rows = [place for place, each in enumerate(sets) for _ in each]
    columns = [elements[element] for each in sets for element in sorted(each)]
    shape = (len(sets), max(1, len(elements)))
    holds = csr_matrix((np.ones(len(rows), np.float64), (rows, columns)), shape=shape)
    often = np.asarray(holds.sum(axis=0)).ravel()
    weights = np.log((1 + len(sets)) / (1 + often)) + 1 if rare_counts_more else np.ones(shape[1])
    common = np.asarray((holds.multiply(weights) @ holds.T).toarray())
    whole = np.asarray(holds @ weights).ravel()
    together: Matrix = whole[:, None] + whole[None, :] - common
    shares: Matrix = np.divide(common, together, out=np.zeros_like(common), where=common > 0)
    return shares


def ties(relations: Iterable[Relation]) -> Iterator[tuple[str, str, float]]:
    """Two files and how sure it is that their values belong together: the score of a join, or the rows in common.

    Joins of columns that are not named alike count only where a reviewer accepted them.
    """
    for relation in relations:
        if relation.accepted is False:
            continue
        if isinstance(relation, Join) and (relation.names >= NAMED_ALIKE or relation.accepted):
            yield relation.left, relation.right, relation.score
        elif isinstance(relation, Repeat):
            yield relation.left, relation.right, max(relation.left_in_right, relation.right_in_left)
