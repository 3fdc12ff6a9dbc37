"""Bodies of requests: read in pieces, up to a size and within a time, files on disk and never whole in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from urllib.parse import parse_qsl

from fastapi import HTTPException, Request
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect

_FIELD_BYTES = 16 << 10
_FIELDS = 20


@dataclass(frozen=True, slots=True)
class FormLimits:
    """How large a body may be in bytes, how long it may take in seconds, and how many files it may hold."""

    bytes: int = 64 << 10
    seconds: float = 20.0
    files: int = 0


SMALL = FormLimits()


async def read_form(request: Request, limits: FormLimits = SMALL) -> FormData:
    """The form in a request's body; its files are the reader's to close.

    Errors: HTTPException with 400, 408, 413 or 415.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in ("multipart/form-data", "application/x-www-form-urlencoded"):
        raise HTTPException(415, "a form is expected: multipart/form-data")
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > limits.bytes:
        raise HTTPException(413, f"more than {limits.bytes:,} bytes")
    body = _bounded(request, limits.bytes)
    try:
        async with asyncio.timeout(limits.seconds):
            if kind == "multipart/form-data":
                return await MultiPartParser(
                    request.headers, body, max_files=limits.files, max_fields=_FIELDS, max_part_size=_FIELD_BYTES
                ).parse()
            told = b"".join([chunk async for chunk in body])
            fields: list[tuple[str, str | UploadFile]] = [
                *parse_qsl(told.decode(errors="replace"), max_num_fields=_FIELDS)
            ]
            return FormData(fields)
    except TimeoutError as error:
        raise HTTPException(408, f"the form did not come within {limits.seconds:g} seconds") from error
    except MultiPartException as error:
        raise HTTPException(400, f"not a form that can be read: {error.message}") from error
    except ValueError as error:
        raise HTTPException(400, "not a form that can be read") from error
    except ClientDisconnect as error:
        raise HTTPException(400, "the form was broken off") from error


async def _bounded(request: Request, most: int) -> AsyncGenerator[bytes, None]:
    """The body, of which no more is taken than it may have, whatever its headers say."""
    taken = 0
    async for chunk in request.stream():
        taken += len(chunk)
        if taken > most:
            raise HTTPException(413, f"more than {most:,} bytes")
        yield chunk


def text_of(form: FormData, name: str) -> str:
    """A field in words; empty where it is not there, or is a file."""
    value = form.get(name)
    return value.strip() if isinstance(value, str) else ""


def files_of(form: FormData) -> dict[str, UploadFile]:
    """The files by the name of their field; of a field that is there twice the last. Empty choices are left out."""
    return {name: value for name, value in form.items() if isinstance(value, UploadFile) and value.size}
