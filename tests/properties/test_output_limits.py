from hypothesis import given
from hypothesis import strategies as st

from benchwright.sandbox.holder.output import Output


@given(st.lists(st.binary(max_size=40), max_size=30), st.integers(min_value=2, max_value=60))
def test_output_keeps_its_beginning_and_end_however_it_arrives(pieces, limit):
    output, whole = Output(limit), b"".join(pieces)
    for piece in pieces:
        output.add(piece)
    half = limit // 2
    if len(whole) <= 2 * half:
        assert not output.truncated
        assert output.value() == whole
    else:
        assert output.truncated
        left_out = len(whole) - 2 * half
        line = b"\n[... %d bytes left out ...]\n" % left_out
        assert output.value() == whole[:half] + line + whole[-half:]
