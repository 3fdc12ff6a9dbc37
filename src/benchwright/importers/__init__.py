"""Logs of other tools as trajectories and run folders: one room a tool; members do not know each other."""

from benchwright.importers.base import Importer
from benchwright.importers.registry import IMPORTERS, importer
from benchwright.importers.run_folder import Imported, Settings, import_logs

__all__ = ["IMPORTERS", "Imported", "Importer", "Settings", "import_logs", "importer"]
