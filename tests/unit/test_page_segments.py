"""The segments of a set's page in a browser: one by one, by pairs of systems, the hardest share."""

import base64
import json
import re
import zlib
from collections import Counter

import numpy as np
import page_run
import pytest
from axe import violations
from page_visit import PHONE, WIDE, watched

from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.metrics import METRICS

NAME = "test/en-de"
FIRST, SECOND, ODD = "oak", "fir", page_run.SYSTEMS[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    page_run.render(folder)
    return folder / NAME


@pytest.fixture(scope="module")
def file(folder):
    return folder / "report.html"


@pytest.fixture(scope="module")
def found(folder):
    """The evaluation set."""
    return evalset.load(folder / "evalset.json")


@pytest.fixture
def visit(browser):
    with watched(browser) as visit:
        yield visit


def numbers(texts):
    return [int(re.search(r"Segment (\d+)", text)[1]) for text in texts]


def listed(widget):
    """The numbers of the segments in the list."""
    return [int(text) for text in widget.locator(".segment-list tbody button").all_inner_texts()]


def hardest_first(folder, name):
    values = storage.read_arrays(folder / f"difficulty/{name}.npz")["difficulty"].mean(axis=0)
    return (1 + np.argsort(-values, kind="stable")).tolist()


def test_segments_are_read_when_a_reader_comes_near_them(visit, file):
    page = visit(file)
    assert page.evaluate("document.querySelectorAll('script[src]').length") == 0
    assert page.url.endswith("report.html")
    page.locator("#segments").scroll_into_view_if_needed()
    page.locator(".segments .passage h3").wait_for()
    assert page.evaluate("document.querySelectorAll('script[src]').length") == 1
    # Who only reads changes no address.
    assert page.url.endswith("report.html")


def test_without_the_file_beside_it_the_page_says_what_is_missing(browser, file, tmp_path):
    (tmp_path / "report.html").write_bytes(file.read_bytes())
    page = browser.new_page()
    page.goto((tmp_path / "report.html").as_uri() + "#segment=3")
    message = page.locator(".widget.segments [role='status']").first
    message.get_by_text("segments.js, which is not beside this page").wait_for()
    page.close()


def test_segments_are_walked_by_keyboard(visit, file, folder):
    page = visit(file, "#segments")
    widget = page.locator(".widget.segments")
    title, following = widget.locator(".passage h3"), widget.get_by_role("button", name="next")
    order = hardest_first(folder, "chunk_entropy")
    title.get_by_text(f"Segment {order[0]}").wait_for()
    following.focus()
    page.keyboard.press("Enter")
    title.get_by_text(f"Segment {order[1]}").wait_for()
    assert f"segment={order[1]}" in page.url
    assert listed(widget) == order
    widget.get_by_role("combobox", name="Order").select_option("weighting EE")
    widget.locator(".segment-list button").nth(2).click()
    number = numbers([title.inner_text()])[0]
    assert widget.locator("tr[aria-current='true']").inner_text().startswith(str(number))
    widget.get_by_text("Its place in each order").click()
    assert "no. 3 of those that move EE metrics most" in widget.inner_text()


def test_an_address_cites_a_segment_and_its_filters(visit, file, found, folder):
    page = visit(file, "#segment=26&domain=social&order=difficulty%20length")
    widget = page.locator(".widget.segments")
    widget.locator(".passage h3").get_by_text("Segment 26").wait_for()
    assert found.reference[25] in widget.locator(".reference .words").inner_text()
    expected = [number for number in hardest_first(folder, "length") if number > 20]
    assert listed(widget) == expected
    assert widget.get_by_label("Domain").input_value() == "social"
    widget.locator(".passage h3").scroll_into_view_if_needed()
    page.evaluate("location.hash = '#segment=3'")
    widget.locator(".passage h3").get_by_text("Segment 3").wait_for()
    assert widget.get_by_label("Domain").input_value() == ""
    link = widget.locator(".passage h3 a")
    assert link.get_attribute("href") == "#segment=3"


def test_what_an_address_names_that_the_set_lacks_filters_nothing(visit, file):
    page = visit(file, "#segment=3&difficulty=none&domain=none&order=none")
    widget = page.locator(".widget.segments")
    widget.locator(".passage h3").get_by_text("Segment 3").wait_for()
    assert widget.locator("output").inner_text() == "30 of 30 segments"
    widget.get_by_label("Share").select_option("10")
    assert widget.locator("output").inner_text() == "3 of 30 segments"


def test_an_address_of_a_segment_that_the_set_lacks_says_so(visit, file, found):
    page = visit(file, "#segment=9999")
    said = page.get_by_text("There is no segment 9999: the segments are 1 to ")
    said.wait_for()
    assert said.inner_text().endswith(f" {len(found.reference)}.")


def test_segments_are_filtered_by_all_that_is_known_of_them(visit, file, found, folder):
    page = visit(file, "#segments")
    widget = page.locator(".widget.segments")
    count = widget.locator("output")
    count.get_by_text("30 of 30 segments").wait_for()
    widget.get_by_label("Document").select_option("doc2")
    assert sorted(listed(widget)) == list(range(21, 31))
    widget.get_by_label("Document").select_option("")
    widget.get_by_label("Share").select_option("10")
    assert listed(widget) == hardest_first(folder, "chunk_entropy")[:3]
    widget.get_by_role("combobox", name="Difficulty").select_option("length")
    assert set(listed(widget)) == set(hardest_first(folder, "length")[:3])
    widget.get_by_label("Share").select_option("")
    word = found.hypotheses[4][6].split()[0]
    widget.get_by_label("Text").fill(word.upper())
    texts = [found.source, found.reference, *found.hypotheses]
    there = [i + 1 for i in range(30) if any(word.lower() in t[i].lower() for t in texts)]
    assert sorted(listed(widget)) == there
    assert count.inner_text() == f"{len(there)} of 30 segments"
    widget.get_by_label("Text").fill("")
    widget.get_by_label("Characters from").fill("13")  # sources from the eleventh have 13
    assert sorted(listed(widget)) == list(range(11, 31))
    assert "from=13" in page.url
    widget.get_by_label("Text").fill("nowhere at all")
    assert "No segment meets these conditions." in widget.inner_text()
    page.reload()
    widget.get_by_text("No segment meets these conditions.").wait_for()


def test_a_segment_shows_its_texts_scores_and_influence(visit, file, folder):
    most = hardest_first(folder, "chunk_entropy")[0]
    page = visit(file, f"#segment={most}")
    widget = page.locator(".widget.segments")
    widget.locator(".hypotheses tbody tr").first.wait_for()
    assert widget.locator(".hypotheses tbody tr").count() == len(page_run.SYSTEMS)
    assert widget.locator(".hypotheses .said > [lang='de'][dir='auto']").count() == 5
    assert widget.locator(".chunk").count() > 5
    assert widget.locator(".reference .token").count() == 8
    influence = widget.locator(".influence tbody tr")
    expected = ["chrF", "EE-chrF", "long-chrF", "ceiling-chrF (uses human scores)"]
    expected += ["TER", "EE-TER", "long-TER", "ceiling-TER (uses human scores)"]
    expected += ["BERTScore", "EE-BERTScore", "DA-BERTScore", "DA-LOO-BERTScore"]
    expected += ["EE-DA-BERTScore", "long-BERTScore", "ceiling-BERTScore (uses human scores)"]
    assert influence.locator("th").all_inner_texts() == expected


def test_a_segment_shows_every_difficulty_and_what_is_difficult_under_which_weighting(visit, file):
    widget = visit(file, "#segments").locator(".widget.segments")
    widget.locator(".hypotheses").wait_for()
    heads = widget.locator(".segment-list thead th").all_inner_texts()
    people = "people (uses human scores)"
    means = ["chunk_entropy", "length", people, "token_dissimilarity", "token_dissimilarity_others"]
    under = ["difficult under EE", "difficult under ceiling (uses human scores)"]
    assert heads[1:8] == [f"mean {name}" for name in means] + under
    first = widget.locator(".segment-list tbody tr").first.locator("td").all_inner_texts()
    assert re.fullmatch(r"[0-5]/5", first[6])
    columns = widget.locator(".hypotheses thead th").all_inner_texts()
    assert columns[1:4] == [
        "hypothesis, its chunks (chunk_entropy) in boxes",
        "chunk_entropy",
        people,
    ]
    flags = widget.locator(".hypotheses td:nth-child(3) .hard-flag")
    assert flags.count() == int(first[6][0])
    assert flags.first.text_content() == " ▲ difficult under EE"
    assert "Mean chunk_entropy" in widget.locator(".passage .quiet").first.inner_text()


def test_metrics_are_chosen_and_texts_are_no_markup(visit, file):
    widget = visit(file, "#segments").locator(".widget.segments")
    widget.locator(".hypotheses").wait_for()
    assert "TER" in widget.locator(".hypotheses thead th").all_inner_texts()
    widget.get_by_text("Metrics shown").click()
    widget.get_by_label("TER", exact=True).uncheck()
    assert "TER" not in widget.locator(".hypotheses thead th").all_inner_texts()
    assert widget.locator(".text i").count() == 0
    assert widget.get_by_role("rowheader", name="</script><b>elm").count() == 1


def lit(box):
    """The lit tokens of the reference."""
    return [int(one.get_attribute("data-token")) for one in box.locator(".place.lit").all()]


@pytest.mark.parametrize("viewport", [WIDE, PHONE])
def test_a_chunk_lights_its_counterpart_by_mouse_keyboard_and_touch(visit, file, found, viewport):
    page = visit(file, "#segment=5", viewport, has_touch=viewport is PHONE)
    box = page.locator(".widget.segments .passage")
    chunks = box.locator(".chunk")
    chunks.first.wait_for()
    reference = found.reference[4].split()
    for place in (0, 3):
        chunk = chunks.nth(place)
        if viewport is PHONE:
            chunk.tap()
        else:
            chunk.hover()
        words = re.sub(r"^\d+", "", chunk.inner_text()).split()
        # Links of equal words, as the aligner of this run makes them.
        assert {reference[token] for token in lit(box)} == set(words)
        assert "its counterpart is" in box.locator(".counterpart").inner_text()
    first = box.locator(".chunk[tabindex='0'], .place[tabindex='0']")
    assert first.count() == 1
    first.focus()
    before = lit(box)
    page.keyboard.press("ArrowRight")
    assert page.locator(":focus").get_attribute("class").startswith("chunk")
    assert "lit" in page.locator(":focus").get_attribute("class")
    page.keyboard.press("ArrowLeft")
    assert lit(box) == before
    # A token of the reference lights the chunks of all hypotheses that it belongs to.
    box.locator(".place").first.focus()
    linked = [
        chunk for chunk in chunks.all() if "0" in (chunk.get_attribute("data-links") or "").split()
    ]
    assert box.locator(".chunk.lit").count() == len(linked) > 0
    assert f"{len(linked)} of 5 hypotheses" in box.locator(".counterpart").inner_text()


def test_chunks_are_numbered_in_the_order_of_their_counterparts(visit, file):
    page = visit(file, "#segments")
    box = page.locator(".widget.segments .passage")
    box.locator(".chunk").first.wait_for()
    backs = 0
    for row in box.locator(".hypotheses tbody tr").all():
        chunks = row.locator(".chunk").all()
        links = [list(map(int, one.get_attribute("data-links").split())) for one in chunks]
        if len(links) < 2:
            continue
        order = [int(one.get_attribute("data-order")) for one in chunks]
        starts = [min(each) for each in links]
        assert [starts[i] for i in np.argsort(order)] == sorted(starts)
        for before, here, chunk in zip(order, order[1:], chunks[1:], strict=False):
            goes_back = "back" in chunk.get_attribute("class").split()
            assert goes_back == (here < before)
            backs += goes_back
    assert backs > 0


def test_errors_are_underlined_and_listed_with_severity_category_and_rater(visit, file, found):
    page = visit(file, "#segment=1")
    box = page.locator(".widget.segments .passage")
    row = box.locator(".hypotheses tbody tr").filter(has=page.get_by_text("ash", exact=True))
    row.locator(".errors").wait_for()
    text = found.hypotheses[0][0]
    marked = "".join(row.locator(".said > span .error-major").all_text_contents())
    assert marked == text[:3]
    assert "".join(row.locator(".said > span .error-minor").all_text_contents()) == text[4:]
    items = row.locator(".errors li").all_inner_texts()
    assert items[0] == f"{text[:3]} major, accuracy/<omission> (mqm.rater1)"
    assert items[1].endswith(" minor, fluency (mqm.rater1)")
    page.evaluate("location.hash = '#segment=2'")
    box.locator("h3").get_by_text("Segment 2").wait_for()
    items = box.locator(".errors li").all_inner_texts()
    assert items == [
        f"{found.source[1][:6]} minor, in the source (mqm.rater1)",
        "no errors (mqm.rater2)",
    ]
    page.evaluate("location.hash = '#segment=3'")
    box.locator("h3").get_by_text("Segment 3").wait_for()
    assert box.locator(".errors").count() == 0


def chrf(folder, found, one, other):
    """Differences of segment scores as the page rounds them, largest first."""
    statistics = storage.read_arrays(folder / "statistics/chrF.npz")["statistics"]
    scores = METRICS["chrf"].segment_scores(statistics).round(1)
    at = [found.systems.index(name) for name in (one, other)]
    return (scores[at[0]] - scores[at[1]]).round(1)


def test_ten_segments_that_separate_two_systems_are_three_clicks_away(visit, file, folder, found):
    page = visit(file)
    page.get_by_role("link", name="Two systems side by side", exact=True).click()
    widget = page.locator(".widget.pairs")
    widget.get_by_label("System A").select_option(FIRST)
    widget.get_by_label("System B").select_option(SECOND)
    titles = widget.locator(".passage h3").all_inner_texts()
    assert len(titles) == 10
    differences = chrf(folder, found, FIRST, SECOND)
    shown = [differences[number - 1] for number in numbers(titles)]
    assert np.abs(shown) == pytest.approx(np.sort(np.abs(differences))[::-1][:10])
    better = FIRST if shown[0] > 0 else SECOND
    assert f"{better} is better by {abs(shown[0]):.1f}" in titles[0]
    assert page.url.endswith(f"#pair={FIRST},{SECOND}&by=chrF")
    assert widget.locator("li").first.locator(".hypotheses tbody tr").count() == 2


def test_an_address_holds_a_pair_and_what_separates_it(visit, file, folder, found):
    odd = "%3C%2Fscript%3E%3Cb%3Eelm"
    page = visit(file, f"#pair={odd},ash&by=chunk_entropy")
    widget = page.locator(".widget.pairs")
    widget.locator(".passage").first.wait_for()
    values = storage.read_arrays(folder / "difficulty/chunk_entropy.npz")["difficulty"].round(3)
    differences = np.abs(values[2] - values[0])
    shown = numbers(widget.locator(".passage h3").all_inner_texts())
    assert [differences[number - 1] for number in shown] == pytest.approx(
        np.sort(differences)[::-1][:10], abs=1e-9
    )
    assert widget.get_by_label("In favour of").is_hidden()
    page.evaluate("location.hash = '#pair=ash,birch&by=TER&better=birch'")
    widget.get_by_text("ash and birch differ by TER").wait_for()
    titles = widget.locator(".passage h3").all_inner_texts()
    # Of TER the lower is the better.
    assert all("birch is better" in title for title in titles)
    for title in titles:
        one, other = map(float, re.search(r"TER ([\d.]+) and ([\d.]+)", title).groups())
        assert one > other
    widget.get_by_label("Separated by").select_option("human")
    assert page.url.endswith("#pair=ash,birch&by=human&better=birch")
    widget.get_by_label("System B").select_option("ash")
    assert "Choose two different systems." in widget.inner_text()


def test_words_that_only_one_of_a_pair_has_are_marked(visit, file, found):
    page = visit(file, f"#pair={FIRST},{SECOND}&by=different%20words")
    widget = page.locator(".widget.pairs")
    widget.locator(".passage").first.wait_for()
    for box in widget.locator("li").all():
        (number,) = numbers([box.locator("h3").inner_text()])
        texts = [
            found.hypotheses[found.systems.index(name)][number - 1].split()
            for name in (FIRST, SECOND)
        ]
        rows = box.locator(".hypotheses tbody tr").all()
        kept = []
        for words, row in zip(texts, rows, strict=True):
            marked = row.locator(".differs").all_text_contents()
            rest = iter(words)
            assert all(word in rest for word in marked)  # in their order
            kept.append(len(words) - len(marked))
        assert kept[0] == kept[1] == longest_common(*texts)
    bags = [
        sum((page_bag(a) & page_bag(b)).values()) / max(len(a.split()) + len(b.split()), 1)
        for a, b in zip(
            *(found.hypotheses[found.systems.index(name)] for name in (FIRST, SECOND)), strict=True
        )
    ]
    (number,) = numbers([widget.locator("h3").first.inner_text()])
    assert bags[number - 1] == min(bags)


def page_bag(text):
    return Counter(text.split())


def longest_common(one, other):
    """The length of the longest common subsequence, by plain recursion over prefixes."""
    table = np.zeros((len(one) + 1, len(other) + 1), dtype=int)
    for i, a in enumerate(one, 1):
        for j, b in enumerate(other, 1):
            same = table[i - 1, j - 1] + 1
            table[i, j] = same if a == b else max(table[i - 1, j], table[i, j - 1])
    return table[-1, -1]


def test_the_hardest_share_moves_the_ranking_and_says_how_many_segments_are_left(visit, file):
    page = visit(file, "#hardest")
    widget = page.locator(".widget.hardest")
    slider = widget.get_by_role("slider")
    status = widget.locator("[role='status']").first
    status.get_by_text("of 29 segments").wait_for()
    assert widget.locator("figure svg").count() == 3  # people, a metric, and their agreement
    slider.focus()
    page.keyboard.press("Home")
    assert "Hardest 100 % by chunk_entropy: 29 of 29 segments" in status.inner_text()
    assert widget.locator(".move.outside").count() == 0
    page.keyboard.press("ArrowRight")
    assert "26 of 29 segments" in status.inner_text()
    assert slider.get_attribute("aria-valuetext") == "hardest 90 %, 26 segments"
    widget.get_by_label("Metric").select_option("TER")
    assert page.url.endswith("#hardest=90&estimated=chunk_entropy&metric=TER")
    page.reload()
    status.get_by_text("Hardest 90 %").wait_for()
    assert widget.get_by_label("Metric").locator("option:checked").inner_text() == "TER"


def test_the_table_of_ranks_is_what_was_computed(visit, file, folder):
    page = visit(file, "#hardest=20&estimated=length&metric=chrF")
    widget = page.locator(".widget.hardest")
    widget.get_by_text("The ranks as a table").click()
    text = (folder / "segments.js").read_text(encoding="utf-8")
    hardest = unpacked(text)["hardest"]
    place, difficulty = hardest["shares"].index(0.2), 1
    chrf = next(one for one in hardest["scores"] if one["label"] == "chrF")
    rows = widget.locator("table tbody tr").all()
    for system, row in enumerate(rows):
        cells = row.locator("td").all_inner_texts()[3:]
        low, high = chrf["random"][place][system]
        rank = chrf["ranks"][difficulty][place][system]
        mark = " ●" if rank < low or rank > high else ""
        expected = [str(chrf["ranks"][difficulty][0][system]), f"{rank}{mark}", f"{low}–{high}"]
        assert cells == expected


def unpacked(text):
    """What the file beside a page holds."""
    return json.loads(zlib.decompress(base64.b64decode(text.split('"')[1])))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_scrolls_no_segment_sideways(visit, file, scheme):
    for part in ("#segments", "#pairs", "#hardest"):
        page = visit(file, part, PHONE, has_touch=True, color_scheme=scheme)
        page.locator(".widget.segments .passage, .widget.pairs .passage").first.wait_for()
        page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, PHONE])
def test_axe_finds_nothing_in_segments_pairs_and_shares(visit, file, viewport, scheme):
    page = visit(file, "#segment=1", viewport, color_scheme=scheme)
    page.locator(".segments .errors").first.wait_for()
    page.locator(".segments .chunk").first.focus()
    assert violations(page) == []
