import bz2
import gzip
import io
import json
import lzma
import struct
import tarfile
import zipfile

import numpy as np
import pytest
from tests.profiles.entries import entry_of, kinds, written


def test_arff_rows_are_padded_and_counted(tmp_path):
    text = """% remark
@RELATION 'two words'
@attribute "a b" numeric
@attribute c {x,'y z'}
@data
1,x
?,'y z'
3
{0 7, 1 x}
"""
    entry = entry_of(written(tmp_path, "t.arff", text))
    assert (entry.error, entry.rows.value, entry.facts["relation"]) == ("", 4, "two words")
    assert entry.facts["attributes"] == [{"name": "a b", "type": "numeric"}, {"name": "c", "type": "{x,'y z'}"}]
    assert entry.facts["rows_that_do_not_fit"] == 1
    assert [(column.kind, column.nulls) for column in entry.tables[0].columns] == [("integer", 1), ("text", 1)]
    assert entry.tables[0].columns[1].counts == (("x", 2), ("y z", 1))


def test_every_sheet_of_a_workbook_is_a_table(tmp_path):
    import xlsxwriter

    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(path) as book:
        report = book.add_worksheet("Report")
        report.merge_range("A1:C1", "Sales of the year")
        report.write_row("A2", ["as of May"])
        for number, row in enumerate(
            [("city", "2019", "2020"), ("Rome", 1, 2.5), ("Oslo", 3, 4), ("Bern", 5, None)], 3
        ):
            report.write_row(number, 0, row)
        codes = book.add_worksheet("codes")
        codes.write_row("A1", ["code", "n"])
        codes.write_row("A2", ["007", 1])
        book.add_worksheet("blank").hide()
    entry = entry_of(path)
    assert (entry.error, [table.name for table in entry.tables]) == ("", ["Report", "codes", "blank"])
    assert kinds(entry) == [("city", "text"), ("2019", "integer"), ("2020", "float")]
    facts = entry.tables[0].facts
    assert (facts["merged_ranges"], facts["preamble"]) == (1, ["Sales of the year", "as of May", ""])
    assert entry.tables[0].rows.value == 3
    assert entry.tables[1].sample == ({"code": "007", "n": 1},)
    assert (entry.tables[2].facts["visible"], entry.tables[2].rows.value) == ("Hidden", 0)
    assert "unpack to" in entry_of(path, bytes=1000).error


def test_yaml_is_read_by_the_safe_loader_and_its_aliases_cannot_multiply(tmp_path):
    entry = entry_of(written(tmp_path, "t.yaml", "rows:\n- {a: 1, b: x}\n- {a: 2, b: y}\n"))
    assert (entry.error, kinds(entry)) == ("", [("a", "integer"), ("b", "text")])
    assert entry.facts["top_level_keys"] == ["rows"]
    run = entry_of(written(tmp_path, "run.yaml", "!!python/object/apply:os.system ['exit 3']"))
    assert "not valid YAML" in run.error
    layers = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 10))
    assert "aliases" in entry_of(written(tmp_path, "bomb.yaml", "l0: &l0 [x]\n" + layers)).error
    few = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 4)}]\n" for n in range(1, 25))
    assert "multiply" in entry_of(written(tmp_path, "few.yaml", "l0: &l0 [x]\n" + few)).error
    assert entry_of(written(tmp_path, "cycle.yaml", "a: &a [*a]\n")).error == "nested too deeply"


def test_tables_of_a_page_are_read_with_their_spans(tmp_path):
    page = """<title>T</title><h1>Head <b>line</b></h1><script>evil()</script>
    <table><tr><th>city<th>n</tr><tr><td rowspan=2>Rome</td><td>1</td></tr><tr><td>2</td></tr>
    <tr><td>Oslo &amp; Bergen<td>3</table><table></table>"""
    entry = entry_of(written(tmp_path, "t.html", page))
    assert (entry.error, entry.facts["title"], entry.facts["headings"]) == ("", "T", ["Head line"])
    assert (entry.facts["tables"], kinds(entry)) == (1, [("city", "text"), ("n", "integer")])
    assert entry.tables[0].columns[0].counts == (("Rome", 2), ("Oslo & Bergen", 1))
    huge = '<table><tr><td colspan="999999999">x</td></tr></table>'
    assert len(entry_of(written(tmp_path, "huge.html", huge)).tables[0].columns) == 1


def test_numpy_arrays_are_read_and_pickles_never_loaded(tmp_path):
    np.save(tmp_path / "t.npy", np.array([[1, 2], [3, 4], [5, 7]], dtype=">i4"))
    entry = entry_of(tmp_path / "t.npy")
    assert (entry.error, entry.facts["shape"], entry.rows.value) == ("", [3, 2], 3)
    assert [column.numbers.max for column in entry.tables[0].columns] == [5, 7]
    np.save(tmp_path / "o.npy", np.array([{}], dtype=object), allow_pickle=True)
    assert "never loaded" in entry_of(tmp_path / "o.npy").facts["not_read"]
    np.savez(tmp_path / "t.npz", x=np.arange(3.0), words=np.array(["a", "b", "a"]))
    entry = entry_of(tmp_path / "t.npz")
    assert [(table.name, table.columns[0].kind) for table in entry.tables] == [("x", "float"), ("words", "text")]
    cut = written(tmp_path, "cut.npy", (tmp_path / "t.npy").read_bytes()[:-4])
    assert "cut off" in entry_of(cut).error


def test_netcdf_3_tells_dimensions_and_variables(tmp_path):
    from scipy.io import netcdf_file

    with netcdf_file(tmp_path / "t.nc", "w") as file:
        file.title = "heat"
        file.createDimension("time", 3)
        time = file.createVariable("time", "i4", ("time",))
        time[:] = [1, 2, 4]
        time.units = "days"
    entry = entry_of(tmp_path / "t.nc")
    assert (entry.error, entry.format, entry.facts["dimensions"]) == ("", "netcdf", {"time": 3})
    assert (entry.facts["attributes"], entry.facts["coordinates"]) == ({"title": "heat"}, ["time"])
    assert entry.tables[0].facts["attributes"] == {"units": "days"}
    assert entry.tables[0].columns[0].numbers.mean == pytest.approx(7 / 3)


def test_hdf5_groups_are_told_and_links_to_other_files_not_followed(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "secret.h5", "w") as other:
        other["x"] = [42.5]
    with h5py.File(tmp_path / "t.h5", "w") as file:
        file["g/x"] = np.arange(6.0).reshape(3, 2)
        file["g"].attrs["unit"] = "m"
        file["out"] = h5py.ExternalLink("secret.h5", "/x")
        file["g/loop"] = file["g"]
    entry = entry_of(tmp_path / "t.h5")
    assert (entry.error, [table.name for table in entry.tables]) == ("", ["/g/x"])
    assert (entry.tables[0].rows.value, len(entry.tables[0].columns)) == (3, 2)
    assert entry.facts["links_not_followed"] == ["/out -> secret.h5/x"]
    assert "42.5" not in str(entry)


def test_maps_tell_layers_and_the_parts_of_shapefiles(tmp_path):
    pyogrio = pytest.importorskip("pyogrio")
    pa = pytest.importorskip("pyarrow")
    point = struct.pack("<BIdd", 1, 1, 2.0, 3.0)
    table = pa.table({"name": ["a", "b"], "n": [1, 2], "geometry": [point, point]})
    for name in ("t.gpkg", "t.shp"):
        pyogrio.write_arrow(
            table,
            tmp_path / name,
            geometry_name="geometry",
            geometry_type="Point",
            crs="EPSG:4326",
            encoding="UTF-8" if name.endswith("shp") else None,
        )
        entry = entry_of(tmp_path / name)
        assert (entry.error, entry.rows.value) == ("", 2)
        assert kinds(entry) == [("name", "text"), ("n", "integer")]
        assert (entry.tables[0].facts["geometry"], entry.tables[0].facts["bounds"]) == ("Point", [2.0, 3.0, 2.0, 3.0])
    assert entry_of(tmp_path / "t.gpkg").format == "geopackage"
    assert (entry_of(tmp_path / "t.shx").rows.value, entry_of(tmp_path / "t.shx").format) == (2, "shapefile-part")
    assert "WGS" in entry_of(tmp_path / "t.prj").facts["crs"]
    assert kinds(entry_of(tmp_path / "t.dbf")) == [("name", "text"), ("n", "integer")]


def dbf(rows, deleted=()):
    fields = [(b"CODE", b"C", 4, 0), (b"DAY", b"D", 8, 0), (b"X", b"N", 6, 2)]
    header = b"".join(struct.pack("<11sc4xBB14x", name, kind, size, places) for name, kind, size, places in fields)
    records = b"".join((b"*" if place in deleted else b" ") + b"".join(row) for place, row in enumerate(rows))
    start = struct.pack("<B3xIHH20x", 3, len(rows), 32 + len(header) + 1, 19)
    return start + header + b"\r" + records + b"\x1a"


def test_dbase_tables_are_read_without_deleted_records(tmp_path):
    rows = [(b"007 ", b"20240131", b"  1.50"), (b"012 ", b"        ", b"******"), (b"xx  ", b"20240201", b"  9.00")]
    entry = entry_of(written(tmp_path, "t.dbf", dbf(rows, deleted={2})))
    assert (entry.error, entry.rows.value, entry.facts["deleted_records"]) == ("", 2, 1)
    assert kinds(entry) == [("CODE", "text"), ("DAY", "text"), ("X", "float")]
    assert entry.tables[0].sample[0] == {"CODE": "007", "DAY": "2024-01-31", "X": 1.5}
    assert entry_of(written(tmp_path, "cut.dbf", dbf(rows)[:20])).error


@pytest.mark.parametrize("suffix", ["sav", "dta", "xpt"])
def test_files_of_statistics_programs_keep_labels(tmp_path, suffix):
    pyreadstat = pytest.importorskip("pyreadstat")
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"sex": [1.0, 2.0, 1.0], "t": ["a", "", "b"]})
    writers = {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta, "xpt": pyreadstat.write_xport}
    path = tmp_path / f"t.{suffix}"
    labelled = {} if suffix == "xpt" else {"variable_value_labels": {"sex": {1: "f", 2: "m"}}}
    writers[suffix](frame, str(path), column_labels=["Sex of person", "Text"], **labelled)
    entry = entry_of(path)
    assert (entry.error, entry.rows.value) == ("", 3)
    assert [(column.kind, column.nulls) for column in entry.tables[0].columns] == [("integer", 0), ("text", 1)]
    assert entry.facts["labels"]["sex"] == "Sex of person"
    if labelled:
        assert entry.facts["value_labels"] == {"sex": {"1": "f", "2": "m"}}


def pdf(lines):
    """A page of text, a line at a time, in a font of equal widths."""
    shown = "".join(f"BT /F 10 Tf 50 {700 - 14 * place} Td ({line}) Tj ET\n" for place, line in enumerate(lines))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
        f"<< /Length {len(shown)} >>\nstream\n{shown}endstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>",
    ]
    out, places = "%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{each}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    return (
        f"{out}xref\n0 6\n0000000000 65535 f \n{table}trailer << /Size 6 /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF"
    )


def test_tables_in_the_text_of_a_pdf_are_found(tmp_path):
    pytest.importorskip("pypdf")
    lines = [
        "A report on cities",
        "city      people   area",
        "Rome      28       1285",
        "Oslo      7        454",
        "Bern      1        51",
    ]
    entry = entry_of(written(tmp_path, "t.pdf", pdf(lines)))
    assert (entry.error, entry.facts["pages"]) == ("", 1)
    assert entry.text.startswith("A report on cities")
    assert kinds(entry) == [("city", "text"), ("people", "integer"), ("area", "integer")]
    assert entry.rows.value == 3


@pytest.mark.parametrize("kind", ["png", "jpeg", "gif", "tiff", "webp"])
def test_images_tell_their_headers(tmp_path, kind):
    from PIL import Image

    Image.new("RGB", (30, 20)).save(tmp_path / f"t.{kind}")
    entry = entry_of(tmp_path / f"t.{kind}")
    assert (entry.error, entry.format, entry.facts["width"], entry.facts["height"]) == ("", "image", 30, 20)


CSV = b"a,b\n1,x\n2,y\n"


@pytest.mark.parametrize(("suffix", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)])
def test_a_compressed_file_is_profiled_as_what_it_holds(tmp_path, suffix, pack):
    entry = entry_of(written(tmp_path, f"t.csv.{suffix}", pack(CSV)))
    assert (entry.error, entry.inner[0].path, entry.rows.value) == ("", "t.csv", 2)
    assert kinds(entry.inner[0]) == [("a", "integer"), ("b", "text")]


def tar_of(members, mode="w"):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, content in members:
            part = tarfile.TarInfo(name)
            part.size = len(content)
            archive.addfile(part, io.BytesIO(content))
        link = tarfile.TarInfo("link.csv")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return out.getvalue()


def zip_of(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


MEMBERS = [("d/t.csv", CSV), ("../out.csv", CSV), ("/abs.csv", CSV), ("odd.bin", b"\0\1")]


@pytest.mark.parametrize("name", ["t.zip", "t.tar", "t.tgz"])
def test_members_are_profiled_and_none_leaves_the_archive(tmp_path, name):
    content = {"t.zip": zip_of(MEMBERS), "t.tar": tar_of(MEMBERS), "t.tgz": tar_of(MEMBERS, "w:gz")}[name]
    folder = tmp_path / "deep" / "er"
    folder.mkdir(parents=True)
    entry = entry_of(written(folder, name, content))
    entry = entry.inner[0] if name == "t.tgz" else entry
    assert [(each.path, each.format, each.error) for each in entry.inner] == [
        ("d/t.csv", "csv", ""),
        ("odd.bin", "unknown", ""),
    ]
    assert entry.inner[0].rows.value == 2
    refused = 2 if name == "t.zip" else 3
    assert (entry.facts["members"]["value"], len(entry.facts["refused"])) == (2 + refused, refused)
    assert [path.name for path in tmp_path.rglob("*.csv")] == []


def test_bombs_end_at_the_bounds_and_would_not_without_them(tmp_path):
    zeros = bytes(30 << 20)
    for name, content in (("t.gz", gzip.compress(zeros)), ("t.zip", zip_of([("z.csv", zeros), ("later.csv", CSV)]))):
        path = written(tmp_path, name, content)
        bounded = entry_of(path)
        assert "unpacks to more" in bounded.error
        assert sum(each.bytes for each in bounded.inner) <= max(1 << 20, 200 * len(content))
        assert "unpacks to more" not in entry_of(path, ratio=10_000).error
    many = written(tmp_path, "many.zip", zip_of([(f"{number}.txt", b"x") for number in range(300)]))
    entry = entry_of(many)
    assert (entry.facts["members"]["value"], entry.facts["members_profiled"]) == (300, 20)
    nested = zip_of([("t.csv", CSV)])
    for _ in range(5):
        nested = zip_of([("n.zip", nested)])
    assert "not opened any deeper" in json.dumps(entry_of(written(tmp_path, "nested.zip", nested)).to_json())


def test_a_missing_library_is_named_with_the_extra_to_install():
    from benchwright.profiles.formats.base import Unreadable, needed

    with pytest.raises(Unreadable, match=r"pip install 'benchwright\[profiles\]'"):
        needed("no_such_library")
