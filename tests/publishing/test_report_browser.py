"""The report in a browser, from the disk, without a network."""

import pytest


@pytest.fixture
def page(opened_offline, page_path):
    with opened_offline(page_path) as page:
        yield page


def column(page, table, place):
    return page.locator(f"#table-{table} tbody tr td:nth-child({place}) > data").evaluate_all(
        "found => found.map(each => Number(each.value))"
    )


def test_a_table_sorts_by_press_and_by_key_and_says_so(page):
    head = page.locator("#table-accuracy thead th").nth(1)
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    falling = column(page, "accuracy", 2)
    assert falling == sorted(falling, reverse=True)
    head.locator("button").focus()
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert column(page, "accuracy", 2) == sorted(falling)


def test_typed_words_filter_rows_and_are_counted(page):
    tasks = page.locator("#table-tasks")
    tasks.locator("input").fill("shops t03")
    assert tasks.locator("tbody tr:visible").count() == 1
    assert tasks.locator(".shown").inner_text() == "1 of 12 rows"
    tasks.locator("input").fill("")
    assert tasks.locator("tbody tr:visible").count() == 12


def test_a_task_s_link_opens_its_attempts(page):
    page.locator("#table-tasks a").first.click()
    assert page.locator("#task-1").get_attribute("open") is not None
    page.locator("#task-1 details summary").first.click()
    assert page.locator("#task-1 article").first.is_visible()


def test_tables_fit_a_page_of_a_usual_width(page):
    page.set_viewport_size({"width": 1280, "height": 800})
    wide = "found => found.filter(at => at.scrollWidth > at.clientWidth + 1).map(at => at.ariaLabel)"
    assert page.locator(".table .scroll").evaluate_all(wide) == []
    assert page.locator(".sideways:visible").count() == 0


def test_a_table_wider_than_the_page_keeps_its_first_column_and_says_that_there_is_more(page):
    page.set_viewport_size({"width": 420, "height": 800})
    table = page.locator("#table-cost")
    name, hint = table.locator("tbody th").first, table.locator(".sideways")
    hint.wait_for()
    before = name.bounding_box()["x"]
    table.locator(".scroll").evaluate("at => { at.scrollLeft = at.scrollWidth; }")
    hint.wait_for(state="hidden")
    assert name.bounding_box()["x"] == pytest.approx(before, abs=1)
    assert table.locator("tbody td").first.bounding_box()["x"] < before


def test_what_is_written_can_be_read_in_light_and_in_dark(page):
    """Contrast of 4.5 and more, as WCAG 2.2 asks for text."""
    told = """() => { const bright = (text) => { const [r, g, b] = text.match(/[\\d.]+/g).map(Number)
        .map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
      const ground = (at) => { for (; at; at = at.parentElement) { const c = getComputedStyle(at).backgroundColor;
        if (!/, 0\\)|transparent/.test(c)) return c; } return 'rgb(255, 255, 255)'; };
      return ['.verdict p', '.cards .what', 'thead th', 'tbody td', '.interval', 'figcaption', '.tag.good', '.tag.bad', 'nav a', 'figure svg text']
        .map((name) => { const one = document.querySelector(name), style = getComputedStyle(one);
          const ink = bright(one.namespaceURI.includes('svg') ? style.fill : style.color), paper = bright(ground(one));
          return [name, (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05)]; }); }"""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = dict(page.evaluate(told))
        assert {name: ratio for name, ratio in found.items() if ratio < 4.5} == {}
