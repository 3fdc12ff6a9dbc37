"""Maps: GeoPackage, shapefiles with their parts, and dBASE tables."""

from __future__ import annotations

import codecs
import struct
from typing import Any

from benchwright.dialects import encoding_of
from benchwright.profiles.batches import arrow_frames
from benchwright.profiles.entries import Count, Table
from benchwright.profiles.formats.base import Found, Source, Unreadable, needed
from benchwright.profiles.tables import cut, plain, table_of, text_frame

_SHX_HEADER, _SHX_RECORD = 100, 8
_DBF_FIELD, _DBF_HEADER = 32, 32
_SHOWN = 200


def read_map(source: Source) -> Found:
    """Every layer: its features, kind of geometry, reference system, bounds and properties."""
    pyogrio = needed("pyogrio")
    # A name with a scheme or an extension in front would make GDAL open something else than a file.
    place = str(source.path.absolute())
    layers = [str(each[0]) for each in pyogrio.list_layers(place)]
    tables = tuple(_layer(pyogrio, place, name) for name in layers[: source.bounds.tables])
    return Found(tables=tables, facts={"layers": len(layers)}, rows=tables[0].rows if len(tables) == 1 else None)


def _layer(pyogrio: Any, place: str, name: str) -> Table:
    about = pyogrio.read_info(place, layer=name, force_feature_count=True, force_total_bounds=True)
    facts = {
        "geometry": cut(str(about.get("geometry_type"))),
        "crs": cut(str(about.get("crs"))),
        "bounds": plain(list(about["total_bounds"])) if about.get("total_bounds") is not None else None,
        "types": {cut(a): str(b) for a, b in list(zip(about["fields"], about["dtypes"], strict=True))[:_SHOWN]},
        "encoding": str(about.get("encoding")),
    }
    _, properties = pyogrio.read_arrow(place, layer=name, read_geometry=False)
    rows = Count(value=int(about["features"]))
    return table_of(arrow_frames([properties]), name, facts, rows=rows)


def read_part(source: Source) -> Found:
    """A part of a shapefile: what it is, and which shapefile it belongs to."""
    path = source.path
    suffix = path.suffix.lower()
    facts: dict[str, Any] = {"part": suffix.removeprefix("."), "shapefile": path.with_suffix(".shp").name}
    facts["shapefile_is_there"] = path.with_suffix(".shp").exists()
    rows = None
    if suffix == ".shx":
        rows = Count(value=max(0, path.stat().st_size - _SHX_HEADER) // _SHX_RECORD)
    elif suffix in (".prj", ".cpg"):
        facts["crs" if suffix == ".prj" else "encoding"] = cut(source.whole()[:2000].decode("latin-1").strip())
    return Found(facts=facts, rows=rows)


def read_dbf(source: Source) -> Found:
    """A dBASE table, read by hand: records that are marked as deleted are counted and left out."""
    raw = source.whole()
    if len(raw) < _DBF_HEADER:
        raise Unreadable("cut off within its header")
    count, header, length = struct.unpack_from("<IHH", raw, 4)
    fields = _fields(raw[:header])
    if not fields or length < 1 + sum(size for _, _, size, _ in fields):
        raise Unreadable("its header fits no table")
    encoding = _encoding(source)
    rows: list[list[str | None]] = []
    deleted = 0
    for start in range(header, header + count * length, length):
        record = raw[start : start + length]
        if len(record) < length:
            break
        if record[:1] == b"*":
            deleted += 1
            continue
        rows.append(_cells(record, fields, encoding))
    table = table_of([text_frame([name for name, *_ in fields], rows)])
    facts = {
        "fields": [{"name": cut(a), "type": b, "length": c, "decimals": d} for a, b, c, d in fields[:_SHOWN]],
        "encoding": encoding,
        "deleted_records": deleted,
        "records_in_header": count,
    }
    return Found(tables=(table,), rows=table.rows, facts=facts)


def _fields(header: bytes) -> list[tuple[str, str, int, int]]:
    """Name, type, length and decimals of each field."""
    fields = []
    for start in range(_DBF_HEADER, len(header) - _DBF_FIELD + 1, _DBF_FIELD):
        if header[start] == 0x0D:
            break
        name = header[start : start + 11].split(b"\0")[0].decode("latin-1").strip()
        fields.append((name, chr(header[start + 11]), header[start + 16], header[start + 17]))
    return fields


def _cells(record: bytes, fields: list[tuple[str, str, int, int]], encoding: str) -> list[str | None]:
    cells: list[str | None] = []
    place = 1
    for _, kind, size, _ in fields:
        text = record[place : place + size].decode(encoding, "replace").strip(" \0")
        place += size
        if kind == "D" and len(text) == 8:
            text = f"{text[:4]}-{text[4:6]}-{text[6:]}"
        cells.append(None if not text or text.strip("*") == "" else text)
    return cells


def _encoding(source: Source) -> str:
    """The encoding that a .cpg file beside it names, else that of its bytes."""
    named = source.path.with_suffix(".cpg")
    if named.is_file() and not named.is_symlink():
        try:
            return codecs.lookup(named.read_text("latin-1")[:40].strip()).name
        except LookupError:
            pass
    found = encoding_of([source.path.read_bytes()])
    return "cp1252" if found.startswith("utf-16") else found
