"""Columnar files: Parquet, Feather and ORC, read in batches."""

from __future__ import annotations

from benchwright.profiles.batches import ROWS, arrow_frames
from benchwright.profiles.formats.base import Found, Source
from benchwright.profiles.tables import cut, table_of


def read_parquet(source: Source) -> Found:
    """A Parquet file, with its row groups and who wrote it."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(source.path) as file:
        meta = file.metadata
        table = table_of(arrow_frames(file.iter_batches(_rows_at_once(len(file.schema_arrow.names)))))
        facts = {
            "row_groups": meta.num_row_groups,
            "created_by": cut(str(meta.created_by)),
            "format_version": str(meta.format_version),
            "types": {cut(each.name): cut(str(each.type)) for each in list(file.schema_arrow)[:200]},
        }
    return Found(tables=(table,), rows=table.rows, facts=facts)


def read_feather(source: Source) -> Found:
    """A Feather or Arrow file."""
    import pyarrow.feather

    arrow = pyarrow.feather.read_table(source.path, memory_map=False)
    table = table_of(arrow_frames(arrow.to_batches(max_chunksize=_rows_at_once(arrow.num_columns))))
    types = {cut(each.name): cut(str(each.type)) for each in list(arrow.schema)[:200]}
    return Found(tables=(table,), rows=table.rows, facts={"types": types})


def read_orc(source: Source) -> Found:
    """An ORC file, stripe by stripe."""
    import pyarrow.orc

    file = pyarrow.orc.ORCFile(source.path)
    stripes = (file.read_stripe(number) for number in range(file.nstripes))
    table = table_of(arrow_frames(stripes))
    facts = {"stripes": file.nstripes, "compression": str(file.compression)}
    return Found(tables=(table,), rows=table.rows, facts=facts)


def _rows_at_once(columns: int) -> int:
    """Rows a batch, so that a batch has a bounded number of cells."""
    return max(1000, min(ROWS, 4_000_000 // max(1, columns)))
