"""Records on the page in a headless Chromium: other formats than SGF, several files, a folder, pasted text."""

from web_page import AGREED, NUMBER, STATUS, new_game, save

NGF = "Rated game\n19\nwhite   7D*\nblack   9DP\nwww.cyberoro.com\n0\n0\n6\n20170316 [09:37]\n5\n" \
      "Black wins by 0.5!\n2\nPMABBREER\nPMACWEEEE\n"
GIB = "\\HS\n\\[GAMEBLACKNAME=black (1D)\\]\n\\HE\n\\GS\n2 1 0\n2 0 &4\nINI 0 1 0 &4\nSTO 0 2 1 16 2\n\\GE\n"
FILES = {"game 10.sgf": "(;GM[1]SZ[9];B[ee])", "game 9.NGF": NGF, "a.gib": GIB, "notes.txt": "no record"}
TITLE = "document.querySelector('#collection-dialog[open] h2')?.textContent"
LISTED = "[...document.querySelectorAll('#collection button')].map((each) => each.textContent).join('|')"


def transfer(files):
    """JavaScript that makes a DataTransfer, `data`, with these files."""
    return "const data = new DataTransfer();" + "".join(
        f"data.items.add(new File([{text!r}], {name!r}));" for name, text in files.items())


def choose(page, text):
    page.evaluate("[...document.querySelectorAll('#collection button')]"
                  f".find((each) => each.textContent === {text!r}).click()")


def paste(page, text):
    page.evaluate(f"""(() => {{
        const data = new DataTransfer();
        data.setData('text/plain', {text!r});
        document.body.dispatchEvent(new ClipboardEvent('paste', {{ clipboardData: data, bubbles: true }}));
    }})()""")


def test_several_files_are_listed_and_another_can_be_opened(page):
    new_game(page, colour="both")
    page.evaluate(f"""(() => {{ {transfer(FILES)}
        const input = document.getElementById('file');
        input.files = data.files;
        input.dispatchEvent(new Event('change'));
    }})()""")
    page.wait_for_function(f"{TITLE} === '4 files'")
    assert page.evaluate(LISTED) == "a.gib|game 9.NGF|game 10.sgf|notes.txt"
    choose(page, "game 9.NGF")
    page.wait_for_function(f"{AGREED} && {NUMBER} === '0 / 2'")
    assert "result B+0.5" in page.text_content("#game-info")
    assert "RE[B+0.5]" in save(page)
    page.click("#files")
    page.wait_for_function(f"{TITLE} === '4 files'")
    choose(page, "a.gib")
    page.wait_for_function(f"{NUMBER} === '0 / 1'")
    page.click("#files")
    page.wait_for_function(f"{TITLE} === '4 files'")
    choose(page, "notes.txt")
    page.wait_for_function(f"{STATUS}.startsWith('notes.txt: no game found')")


def test_the_text_of_a_record_can_be_pasted(page):
    new_game(page, colour="both")
    paste(page, "(;GM[1]SZ[9]PB[pasted];B[ee];W[cc];B[dd])")
    page.wait_for_function(f"{AGREED} && {NUMBER} === '0 / 3'")
    paste(page, "hello")
    page.wait_for_function(f"{STATUS}.startsWith('The text: no game found')")
    paste(page, " ")
    page.wait_for_function(f"{STATUS} === 'There is no game record in it.'")


def test_a_folder_has_its_records_listed(page):
    names = page.evaluate("""import('/static/actions/files.js').then(async ({ filesOf }) => {
        const file = (path) => ({ isDirectory: false, name: path.split('/').at(-1), fullPath: path,
                                  file: (resolve) => resolve(new File(['(;GM[1])'], path)) });
        const folder = (path, entries) => ({ isDirectory: true, name: path, fullPath: path, createReader: () => {
            const parts = [entries.slice(0, 2), entries.slice(2), []];
            return { readEntries: (resolve) => resolve(parts.shift()) };
        } });
        const deep = folder('/games/old', [file('/games/old/3.ugi')]);
        const top = folder('/games', [file('/games/1.sgf'), file('/games/x.txt'), file('/games/2.GIB'), deep]);
        const found = await filesOf({ items: [{ webkitGetAsEntry: () => top }], files: [] });
        return found.map(([name]) => name).join();
    })""")
    assert names == "games/1.sgf,games/2.GIB,games/old/3.ugi"
