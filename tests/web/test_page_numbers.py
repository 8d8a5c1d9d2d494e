"""Move numbers on the stones in a headless Chromium."""
import pytest

from web_page import NUMBER, STATUS, load

# White 2 is captured by 5, and Black plays there with 9.  In the variation a stone is set up on the point of move 1.
SGF = "(;GM[1]SZ[9];B[ii];W[aa];B[ab];W[gg];B[ba];W[gc];B[ee]TR[gg](;W[cc];B[aa])(;W[ge];B[cg];AB[ii]AW[hh];W[ha]))"
NUMBERS = "[...document.querySelectorAll('.marks text')].map((each) => `${each.textContent}:" \
          "${'ABCDEFGHJ'[each.getAttribute('x')]}${9 - each.getAttribute('y')}`).sort((a, b) => a.localeCompare(b, " \
          "undefined, { numeric: true })).join(' ')"
LAST = "document.querySelector('.marks .last')?.textContent"


def show(page, value):
    page.evaluate(f"""(() => {{ const field = document.getElementById('move-numbers'); field.value = '{value}';
                 field.dispatchEvent(new Event('change')); }})()""")


@pytest.fixture
def numbered(page):
    load(page, SGF)
    page.keyboard.press("End")
    page.wait_for_function(f"{NUMBER} === '9 / 9'")
    yield page
    show(page, "0")


def test_numbers_of_the_stones_on_the_board(numbered):
    numbered.wait_for_function(f"{NUMBERS} === ''")
    show(numbered, "all")                  # 2 is captured
    numbered.wait_for_function(f"{NUMBERS} === '1:J1 3:A8 4:G3 5:B9 6:G7 7:E5 8:C7 9:A9' && {LAST} === '9'")
    assert numbered.evaluate("document.querySelectorAll('.marks circle').length") == 0
    show(numbered, "5")
    numbered.wait_for_function(f"{NUMBERS} === '5:B9 6:G7 7:E5 8:C7 9:A9'")
    show(numbered, "1")
    numbered.wait_for_function(f"{NUMBERS} === '9:A9'")
    numbered.keyboard.press("ArrowLeft")
    numbered.keyboard.press("ArrowLeft")   # a triangle takes the place of 4
    show(numbered, "all")
    numbered.wait_for_function(f"{NUMBERS} === '1:J1 3:A8 5:B9 6:G7 7:E5'")
    show(numbered, "branch")               # the main line
    numbered.wait_for_function(f"{NUMBERS} === ''")


def test_numbers_that_the_file_gives_are_on_the_stones_and_in_the_list(page):
    load(page, "(;GM[1]SZ[9];B[ee];W[ec]MN[31];B[gc](;W[cc]MN[1])(;W[cg]))")
    page.keyboard.press("End")
    show(page, "all")
    page.wait_for_function(f"{NUMBERS} === '1:C7 1:E5 31:E7 32:G7'")
    show(page, "1")                        # the last move, whatever its number
    page.wait_for_function(f"{NUMBERS} === '1:C7'")
    assert page.evaluate("[...document.querySelectorAll('#move-list button')].map((each) => each.textContent).join()") \
        == "1E5,31E7,32G7,1C7,33C3"
    show(page, "0")


def test_numbers_of_a_variation_and_of_stones_that_were_set_up(numbered):
    show(numbered, "branch")
    numbered.keyboard.press("ArrowDown")
    numbered.wait_for_function(f"{NUMBER} === '8 / 10'")
    numbered.keyboard.press("End")
    numbered.wait_for_function(f"{NUMBER} === '10 / 10'")
    numbered.wait_for_function(f"{NUMBERS} === '1:G5 2:C3 3:H9'")
    show(numbered, "all")
    numbered.wait_for_function(f"{NUMBERS} === '3:A8 4:G3 5:B9 6:G7 7:E5 8:G5 9:C3 10:H9'")


def test_the_key_hides_the_numbers_and_the_browser_remembers_them(numbered):
    show(numbered, "20")
    numbered.keyboard.press("n")
    numbered.wait_for_function(f"{STATUS} === 'Move numbers: none.' && {NUMBERS} === ''")
    numbered.keyboard.press("n")
    numbered.wait_for_function(f"{STATUS} === 'Move numbers: the last 20.'")
    numbered.reload()
    numbered.wait_for_function(f"document.querySelector('.grid') && {NUMBERS} !== ''")
