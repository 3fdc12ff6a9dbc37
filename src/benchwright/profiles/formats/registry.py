"""Which function reads which format."""

from __future__ import annotations

from collections.abc import Mapping

from benchwright.profiles.formats import (
    archives,
    arff,
    arrays,
    columnar,
    databases,
    delimited,
    documents,
    geo,
    jsons,
    marked_up,
    statistics_files,
    texts,
    workbook,
    yamls,
)
from benchwright.profiles.formats.base import Format, Found, Source


def _nothing(source: Source) -> Found:  # noqa: ARG001 - the formats' common form
    return Found()


FORMATS: Mapping[str, Format] = {
    "csv": delimited.read,
    "text": texts.read_text,
    "markdown": texts.read_markdown,
    "tex": texts.read_tex,
    "log": texts.read_log,
    "json": jsons.read_json,
    "jsonl": jsons.read_lines,
    "parquet": columnar.read_parquet,
    "feather": columnar.read_feather,
    "orc": columnar.read_orc,
    "sqlite": databases.read_sqlite,
    "duckdb": databases.read_duckdb,
    "arff": arff.read,
    "yaml": yamls.read,
    "html": marked_up.read,
    "workbook": workbook.read,
    "npy": arrays.read_npy,
    "npz": arrays.read_npz,
    "netcdf": arrays.read_netcdf,
    "hdf5": arrays.read_hdf5,
    "geopackage": geo.read_map,
    "shapefile": geo.read_map,
    "shapefile-part": geo.read_part,
    "dbf": geo.read_dbf,
    **{kind: statistics_files.reader(kind) for kind in statistics_files.READERS},
    "pdf": documents.read_pdf,
    "image": documents.read_image,
    "zip": archives.read_zip,
    "tar": archives.read_tar,
    "gzip": archives.read_gzip,
    "bzip2": archives.read_bzip2,
    "xz": archives.read_xz,
    "empty": _nothing,
}
"""Formats without a function are listed with what their first bytes say."""
