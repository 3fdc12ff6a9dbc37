"""The viewer in a browser, as people use it."""

import re

import pytest
from tests.viewer.serving import attempt, fill, new_run, served, tell

from benchwright.publishing.pages.attempt import AttemptPage
from benchwright.publishing.pages.environment import environment
from benchwright.run import Key
from benchwright.trajectory import Call, Step
from benchwright.viewer.gallery import Gallery

HOSTILE = (
    "</pre></script><script>window.pwned=1</script><img src=x onerror='window.pwned=1'><svg onload='window.pwned=1'>"
)


@pytest.fixture(scope="module")
def run(suite, tmp_path_factory):
    run = fill(new_run(suite, tmp_path_factory.mktemp("runs") / "run"), suite)
    steps = (
        Step(
            index=1,
            thought=HOSTILE,
            text=HOSTILE,
            calls=(Call(id="1", tool=HOSTILE, text=HOSTILE, output=HOSTILE, path=HOSTILE),),
        ),
    )
    tell(run, 0, (*steps, Step(index=2, text="the second step")))
    return run


@pytest.fixture(scope="module")
def address(run):
    with served(run.path) as address:
        yield address


@pytest.fixture
def open_page(browser, address):
    """Opens a page of the viewer; whatever a page complains of fails the test."""
    contexts, complaints = [], []

    def open_(path="/", at=address, **settings):
        context = browser.new_context(**settings)
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.goto(at + path)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


def attempt_path(run, number=0):
    return f"/run/run/attempt/{run.spec.cells[number].id}/answer/1"


def test_a_page_follows_a_run_that_goes_on(suite, tmp_path, open_page):
    run = new_run(suite, tmp_path / "live", epochs=1)
    with served(run.path) as here:
        page = open_page(at=here)
        page.evaluate("window.same = true")
        assert "0 of 6 attempts" in page.inner_text("#live")
        page.focus("a.row >> nth=1")
        run.record(attempt(run.spec.cells[0].id, "answer", 1))
        page.get_by_text("1 of 6 attempts,").first.wait_for()
        assert "1 of 6 attempts, going on" in page.inner_text("#status")
        assert page.evaluate("window.same")  # the page was not loaded again,
        assert page.evaluate("document.activeElement.textContent") == "two"  # and the reader's place is kept
        listed = open_page("/attempts", at=here)
        assert listed.locator("tbody tr").count() == 1
        run.record(attempt(run.spec.cells[1].id, "table", 1, number=5))
        listed.locator("tbody tr >> nth=1").wait_for()
        for each in (page, listed):
            each.close()  # before the viewer ends, or they would complain that it does not answer


def test_attempts_are_filtered_sorted_and_paged(open_page):
    page = open_page("/attempts")
    assert page.locator("tbody tr").count() == 50
    page.select_option("select[name=verdict]", "right")
    page.wait_for_url("**/attempts?*verdict=right*")
    assert "40 attempts" in page.inner_text("#live")
    page.click("#sort-cost")
    page.wait_for_selector("th[aria-sort]:has(#sort-cost)")
    page.click("#sort-cost")
    page.wait_for_selector("th[aria-sort=descending]:has(#sort-cost)")
    page.wait_for_load_state()
    assert page.get_attribute("th:has(#sort-cost)", "aria-sort") == "descending"
    costs = [float(text.removeprefix("$")) for text in page.locator("tbody tr td:nth-child(11)").all_inner_texts()]
    assert costs == sorted(costs, reverse=True)
    assert costs[0] == 1.17
    page.fill("#search", "answer 117")
    page.press("#search", "Enter")
    page.wait_for_url("**text=answer+117*")
    assert page.locator("tbody tr").count() == 1
    page.click("text=Clear")
    page.wait_for_url(re.compile(r"/attempts$"))
    page.click("text=Next")
    page.wait_for_url("**page=2*")
    assert "page 2 of 3" in page.inner_text("#live")


def test_everything_can_be_reached_by_keys(open_page, run):
    page = open_page("/attempts")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "To the content"
    assert (
        page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    )  # a skip link that has the focus is seen
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("j")
    page.keyboard.press("j")
    rows = page.locator("a.row")
    assert page.evaluate("document.activeElement.id") == rows.nth(1).get_attribute("id")
    page.keyboard.press("k")
    assert page.evaluate("document.activeElement.id") == rows.nth(0).get_attribute("id")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"
    page.keyboard.press("n")
    page.wait_for_url("**page=2*")
    page.keyboard.press("/")
    page.keyboard.type("jk")  # letters that are typed are letters
    assert page.input_value("#search") == "jk"
    page.keyboard.press("Escape")
    page.keyboard.press("p")
    page.wait_for_url(re.compile(r"/attempts$"))
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/run/run/attempt/**")
    page.focus("#theme")
    page.keyboard.press("Enter")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_a_hostile_trajectory_is_harmless(open_page, run, browser):
    page = open_page(attempt_path(run))
    assert HOSTILE in page.inner_text(".call pre.code")
    assert page.evaluate("window.pwned") is None
    assert page.locator("#main img, #main svg, #main script").count() == 0
    with Gallery.open([run.path]) as gallery:  # the control: without escaping, and without the policy, it acts
        value: AttemptPage = gallery.page("run", Key(run.spec.cells[0].id, "answer", 1))
    unescaped = environment().overlay(autoescape=False).get_template("attempt.html").render(page=value, anchor="a")
    context = browser.new_context()
    bare = context.new_page()
    bare.set_content(unescaped)
    bare.wait_for_function("window.pwned === 1")
    context.close()


def test_the_policy_stops_what_escaping_would_let_through(browser, address):
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    page.evaluate("document.getElementById('live').innerHTML = \"<img src=x onerror='window.pwned=1'>\"")
    page.evaluate(
        "(() => { const s = document.createElement('script'); s.textContent = 'window.pwned = 2'; document.body.append(s); })()"
    )
    page.wait_for_timeout(200)
    assert page.evaluate("window.pwned") is None
    context.close()


CONTRAST = """() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgb = (color) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const light = (c) => c.slice(0, 3).map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c[3] > 250) return c; }
    return [255, 255, 255, 255]; };
  const low = [];
  for (const e of document.querySelectorAll('main *, header *')) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) || !e.offsetParent) continue;
    const [a, b] = [light(rgb(getComputedStyle(e).color)), light(ground(e))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) low.push(`${e.tagName} ${e.className} ${e.textContent.slice(0, 40)}`);
  }
  return low;
}"""
BASICS = """() => {
  const bad = [];
  if (!document.documentElement.lang) bad.push('no language');
  if (!document.title) bad.push('no title');
  if (document.querySelectorAll('h1').length !== 1) bad.push('not one h1');
  let level = 1;
  for (const h of document.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    if (+h.tagName[1] > level + 1) bad.push(`${h.tagName} after h${level}`);
    level = +h.tagName[1];
  }
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
  if (new Set(ids).size !== ids.length) bad.push('an id twice');
  for (const e of document.querySelectorAll('input:not([type=hidden]), select')) if (!e.labels.length) bad.push(`no label: ${e.name}`);
  for (const e of document.querySelectorAll('a, button')) if (!e.textContent.trim()) bad.push(`no name: ${e.outerHTML.slice(0, 80)}`);
  for (const e of document.querySelectorAll('th')) if (!e.scope) bad.push(`no scope: ${e.textContent}`);
  for (const e of document.querySelectorAll('img')) if (!e.alt) bad.push('a picture without words');
  for (const e of document.querySelectorAll('progress')) if (!e.getAttribute('aria-label')) bad.push('progress without words');
  if (document.scrollingElement.scrollWidth > innerWidth + 1) bad.push(`wider than the screen: ${document.scrollingElement.scrollWidth}`);
  return bad;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_can_be_read_in_light_and_dark_wide_and_narrow(open_page, address, run, scheme, tmp_path):
    seen = {}
    page = open_page(color_scheme=scheme)
    paths = {"runs": "/", "attempts": "/attempts", "attempt": attempt_path(run), "task": "/run/run/task/answer"}
    for name, path in paths.items():
        page.set_viewport_size({"width": 1200, "height": 800})
        page.goto(address + path)
        assert page.evaluate(CONTRAST) == [], name
        assert page.evaluate(BASICS) == [], name
        page.set_viewport_size({"width": 360, "height": 700})
        assert page.evaluate(BASICS) == [], name
        page.screenshot(path=tmp_path / f"{name}.png")
        seen[name] = page.evaluate("getComputedStyle(document.body).backgroundColor")
    dark = all(sum(map(int, re.findall(r"\d+", color)[:3])) < 200 for color in seen.values())
    assert dark == (scheme == "dark")


def test_low_contrast_and_a_missing_label_are_seen(open_page):
    page = open_page("/attempts")
    page.evaluate(
        "document.querySelector('h1').className = 'dim'; document.styleSheets[0].insertRule('.dim { color: #ccc }', 0)"
    )
    page.evaluate("document.styleSheets[0].insertRule('h1.dim { color: #ccc !important }', 0)")
    page.evaluate("document.querySelector('label').replaceWith(document.querySelector('#search'))")
    assert any(each.startswith("H1") for each in page.evaluate(CONTRAST))
    assert "no label: text" in page.evaluate(BASICS)


def test_what_is_not_there_is_said(browser, address):
    context = browser.new_context()
    page = context.new_page()
    for path in (
        "/run/none/task/answer",
        "/run/run/task/none",
        "/run/run/attempt/none/answer/1",
        "/nothing",
        "/run/run/attempt/x/answer/y",
    ):
        answer = page.goto(address + path)
        assert (answer.status, page.inner_text("h1")) == (404, "Not here"), path
    context.close()
