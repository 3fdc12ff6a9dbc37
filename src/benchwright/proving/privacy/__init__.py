"""The privacy lint: e-mail addresses, telephone and identity numbers in tasks, golds and data files."""

from benchwright.proving.privacy.scan import PrivacyOptions, scan_suite

__all__ = ["PrivacyOptions", "scan_suite"]
