"""Which library functions and methods read, write or fetch files, and with which argument."""

from __future__ import annotations

import ast
import re

from benchwright.reading import sql
from benchwright.reading.holes import HOLE, join_paths, pieces
from benchwright.reading.site import Site
from benchwright.reading.trace import Kind
from benchwright.reading.values import UNKNOWN, Choice, Const, Items, Stream, Table, Value, options, text_of

_FRAMES = frozenset(
    "pandas cudf polars geopandas dask.dataframe modin.pandas pyarrow pyarrow.csv pyarrow.parquet pyarrow.feather "
    "pyarrow.json pyarrow.orc duckdb pyreadstat pyreadr awswrangler fireducks.pandas".split()
)
_NOT_FILES = frozenset("read_sql read_sql_query read_sql_table read_gbq read_clipboard read_database".split())
_ONE_FILE = {
    "numpy.load": "np.load",
    "numpy.loadtxt": "np.loadtxt",
    "numpy.genfromtxt": "np.genfromtxt",
    "numpy.fromfile": "np.fromfile",
    "scipy.io.loadmat": "loadmat",
    "scipy.io.wavfile.read": "wavfile",
    "scipy.io.arff.loadarff": "loadarff",
    "joblib.load": "joblib",
    "torch.load": "torch.load",
    "pandas.ExcelFile": "ExcelFile",
    "pandas.HDFStore": "HDFStore",
    "pyarrow.dataset.dataset": "pyarrow.dataset",
    "pyarrow.parquet.ParquetFile": "read_table",
    "duckdb.from_csv_auto": "read_csv",
    "duckdb.from_parquet": "read_parquet",
    "openpyxl.load_workbook": "openpyxl",
    "xlrd.open_workbook": "xlrd",
    "xarray.open_dataset": "xarray",
    "netCDF4.Dataset": "netCDF4",
    "rasterio.open": "rasterio",
    "fiona.open": "fiona",
    "PIL.Image.open": "image",
    "cv2.imread": "image",
    "imageio.imread": "image",
    "imageio.v2.imread": "image",
    "matplotlib.pyplot.imread": "image",
    "matplotlib.image.imread": "image",
    "soundfile.read": "audio",
    "librosa.load": "audio",
    "networkx.read_gml": "networkx",
    "networkx.read_graphml": "networkx",
    "networkx.read_edgelist": "networkx",
    "datatable.fread": "datatable",
    "vaex.open": "vaex",
    "nibabel.load": "nibabel",
    "linecache.getlines": "open",
    "fileinput.input": "open",
}
_WITH_MODE = {
    "open": "open",
    "io.open": "open",
    "codecs.open": "open",
    "os.open": "open",
    "gzip.open": "gzip",
    "bz2.open": "bz2",
    "lzma.open": "lzma",
    "tarfile.open": "tarfile",
    "zipfile.ZipFile": "zipfile",
    "gzip.GzipFile": "gzip",
    "h5py.File": "h5py",
    "numpy.memmap": "np.memmap",
}
_REMOTE = re.compile(
    r"seaborn\.load_dataset|sklearn\.datasets\.fetch_\w+|requests\.(get|post|request)|urllib\.request\.\w+|httpx\.\w+|"
    r"kagglehub\.\w+|wget\.download|gdown\.download|yfinance\.\w+|datasets\.load_dataset|.*\.get_rdataset"
)
_ADDRESS = re.compile(r"(https?|ftp|s3|gs|abfs|hf)://", re.IGNORECASE)
_PATH_NAMES = ("filepath_or_buffer", "path", "io", "file", "filename", "source", "fname", "path_or_buf", "database")
_WRITING_METHODS = frozenset(
    "to_csv to_excel to_parquet to_feather to_json to_pickle to_html to_hdf to_stata to_file to_latex to_markdown "
    "write_csv write_parquet write_json write_ipc write_excel sink_csv sink_parquet savefig write_html write_image "
    "tofile save extract extractall".split()
)
_WRITING = frozenset(
    "numpy.save numpy.savetxt numpy.savez numpy.savez_compressed joblib.dump matplotlib.pyplot.savefig "
    "pyarrow.parquet.write_table pyarrow.feather.write_feather pyarrow.csv.write_csv pandas.ExcelWriter".split()
)
_OF_SPARK = frozenset("csv parquet json orc text load".split())
_SETTINGS = frozenset("option options schema format".split())
_CONNECTING = frozenset(
    "sqlite3.connect duckdb.connect sqlalchemy.create_engine sqlalchemy.engine.create_engine".split()
)
_QUERIES = frozenset("sql query execute from_query executescript executemany".split())


def use(site: Site, name: str) -> Value | None:
    """The value of a library call that uses files, after recording what it does; None for any other call."""
    if reader := _reader(name):
        return _read_all(site, reader)
    if name in _WITH_MODE:
        return _open(site, _WITH_MODE[name])
    return _use_database(site, name) or _move(site, name)


def _use_database(site: Site, name: str) -> Value | None:
    function = name.rpartition(".")[2]
    if name in _CONNECTING:
        return _connect(site, name)
    if function in _NOT_FILES:
        return _read_query(site)
    return run_query(site, "duckdb") if name.startswith("duckdb.") and function in _QUERIES else None


def _move(site: Site, name: str) -> Value | None:
    if name in _WRITING:
        return _write(site)
    if name in {"shutil.copy", "shutil.copyfile", "shutil.copy2", "shutil.move"}:
        return _copy(site)
    return _fetch(site, name) if _REMOTE.fullmatch(name) else None


def _reader(name: str) -> str:
    if name in _ONE_FILE:
        return _ONE_FILE[name]
    module, _, function = name.rpartition(".")
    if (module not in _FRAMES and not module.startswith("pandas.io.")) or function in _NOT_FILES:
        return ""
    if function.startswith("scan_"):
        return "read_" + function.removeprefix("scan_")
    return function if function.startswith("read_") else ""


def _path_argument(site: Site) -> Value:
    return site.argument(0, *_PATH_NAMES)


def _read_all(site: Site, reader: str) -> Value:
    record(site, "read", _path_argument(site), reader)
    return Stream(reader) if reader in {"ExcelFile", "openpyxl", "HDFStore"} else UNKNOWN


def _open(site: Site, reader: str) -> Value:
    return open_file(site, _path_argument(site), site.argument(1, "mode"), reader)


def open_file(site: Site, path: Value, mode: Value, reader: str) -> Value:
    """`open(path, mode)`: reading is an event, writing another; the value is the open file."""
    text = text_of(mode) or "r"
    writes = any(letter in text for letter in "wax")
    record(site, "write" if writes else "read", path, reader)
    return Stream(reader, text_of(path))


def _connect(site: Site, name: str) -> Value:
    kind = name.partition(".")[0]
    path = _path_argument(site)
    known = [_database(text) for option in options(path) if (text := text_of(option)) is not None]
    if known and not any(known):
        return Stream(kind)
    if known:
        path = Choice(tuple(Const(text) for text in known if text)) if len(known) > 1 else Const(known[0])
    if site.given(0, *_PATH_NAMES):
        record(site, "read", path, "sqlite3" if kind == "sqlalchemy" else kind)
    return Stream(kind)


def _database(text: str) -> str:
    """The file that a connection text names; empty for a database in memory or on a server."""
    text = re.sub(r"^(sqlite|duckdb):///", "", text)
    text = re.sub(r"^file:(//)?", "", text).partition("?")[0] if text.startswith("file:") else text
    return "" if "://" in text or text == ":memory:" else text


def _read_query(site: Site) -> Value:
    """`pandas.read_sql(query, connection)`: a connection given as text opens its database."""
    connection = text_of(site.argument(1, "con", "connection", "connection_uri"))
    if connection is not None and _database(connection):
        record(site, "read", Const(_database(connection)), "sqlite3")
    return UNKNOWN


def run_query(site: Site, kind: str) -> Value:
    """A query: its text may name files."""
    named = {"duckdb": sql.files_in, "sqlite3": sql.attached}.get(kind)
    for option in options(site.argument(0, "query", "sql")) if named else ():
        for path in named(text_of(option) or "") if named else ():
            record(site, "read", Const(path), kind)
    return Stream(kind)


def _write(site: Site) -> Value:
    record(site, "write", _path_argument(site), "")
    return UNKNOWN


def _copy(site: Site) -> Value:
    record(site, "read", site.argument(0, "src"), "copy")
    record(site, "write", site.argument(1, "dst"), "")
    return UNKNOWN


def _fetch(site: Site, name: str) -> Value:
    record(site, "remote", Const(text_of(site.argument(0, "url", "name")) or HOLE), name)
    if name.endswith(("urlretrieve", "download")):
        record(site, "write", site.argument(1, "filename", "out", "output"), "")
    return UNKNOWN


def use_method(site: Site, owner: Value, name: str) -> Value | None:
    """The value of a method call that uses files; None for any other method."""
    if isinstance(owner, Stream):
        return run_query(site, owner.kind) if name in _QUERIES else None
    if name in _OF_SPARK and _reads_frames(site.node.func):
        return _read_all(site, f"spark.{name}")
    if name in _WRITING_METHODS and text_of(_path_argument(site)) is not None:
        return _write(site)
    return None if text_of(owner) is None or isinstance(owner, Const) else _use_path(site, owner, name)


def _reads_frames(function: ast.expr) -> bool:
    """Whether a method is one of Spark's reader: `spark.read.csv`, `spark.read.option(...).csv`."""
    owner = function.value if isinstance(function, ast.Attribute) else function
    while isinstance(owner, ast.Call) and isinstance(owner.func, ast.Attribute) and owner.func.attr in _SETTINGS:
        owner = owner.func.value
    return isinstance(owner, ast.Attribute) and owner.attr == "read"


def _use_path(site: Site, owner: Value, name: str) -> Value | None:
    """A method of a path."""
    if name in {"write_text", "write_bytes"}:
        record(site, "write", owner, "")
        return UNKNOWN
    if name in {"read_text", "read_bytes"}:
        record(site, "read", owner, "open")
        return Const(HOLE)
    if name == "open":
        return open_file(site, owner, site.argument(0, "mode"), "open")
    return None


def record(site: Site, kind: Kind, path: Value, reader: str) -> None:
    """Record the use of a path. The options of a choice exclude each other; items of a list are all used."""
    if isinstance(path, Choice):
        named = [option for option in path.options if not (isinstance(option, Const) and option.value is None)]
        point = "|".join(text_of(option) or "?" for option in named)
        for number, option in enumerate(named):
            with site.machine.trace.arm(point, number, sure=number == 0):
                record(site, kind, option, reader)
        return
    if isinstance(path, Items | Table):
        for item in path.items if isinstance(path, Items) else path.entries.values():
            record(site, kind, item, reader)
        return
    _record_one(site, kind, path, reader)


def _record_one(site: Site, kind: Kind, path: Value, reader: str) -> None:
    text = text_of(path)
    trace, line = site.machine.trace, site.node.lineno
    if text is None or not "".join(pieces(text)).strip("/."):
        trace.unresolved += kind == "read" and (text is not None or path is UNKNOWN)
        return
    if kind == "read" and _ADDRESS.match(text):
        kind = "remote"
    if kind != "remote" and not _ADDRESS.match(text):
        text = join_paths([site.machine.directory, text]) if site.machine.directory else text
    trace.record(kind, text, reader, line, site.expression)
