import pytest

from benchwright.baselines.explore.shape import Slot, read_slots


@pytest.mark.parametrize(
    ("guidelines", "kinds"),
    [
        ("Answer must be an integer.", ["integer"]),
        ("Answer with one number rounded to 2 decimals.", ["decimal"]),
        ("Answer must be a percentage rounded to the nearest integer (e.g., 75%).", ["percent"]),
        ("Answer yes or no.", ["yes_no"]),
        ("The name as it is written in the data.", ["text"]),
        ("The date in ISO 8601 format (YYYY-MM-DD).", ["date"]),
        (
            "Answer must be in the format: variants; mutations; ratio. The ratio has two decimals.",
            ["text", "text", "decimal"],
        ),
        ("Answer as: Month Name; Percentage%, e.g. March; 12.34%", ["text", "percent"]),
        ("Give the two names separated by a semicolon", ["text", "text"]),
        ("", ["text"]),
        ("Separator: semicolon and a space ('; ').", ["text"]),
    ],
)
def test_the_parts_of_an_answer_and_their_kinds_are_read(guidelines, kinds):
    assert [slot.kind for slot in read_slots(guidelines)] == kinds


def test_a_template_with_keys_keeps_them():
    slots = read_slots("Answer must be in the format: 'Male: [Integer]%; Female: [Integer]%'.")
    assert [slot.show(12.6) for slot in slots] == ["Male: 13%", "Female: 13%"]


@pytest.mark.parametrize(
    ("slot", "value", "shown"),
    [
        (Slot("integer", 0), 3.0, "3"),
        (Slot("decimal", 2), 3.14159, "3.14"),
        (Slot("percent", 1, sign=True), 12.345, "12.3%"),
        (Slot("percent", 0), 12.345, "12"),
        (Slot("decimal"), 4.0, "4"),
        (Slot("yes_no"), True, "Yes"),
        (Slot("text"), "Ohio", "Ohio"),
    ],
)
def test_a_value_is_shown_as_asked_for(slot, value, shown):
    assert slot.show(value) == shown
