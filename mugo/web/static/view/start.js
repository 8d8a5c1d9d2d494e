// The screen: the start, a board to learn on, or a game; and the text of a lesson.

import { LESSONS } from "../core/lessons.js";
import { joined, momentText, t } from "../core/texts.js";
import { byId, updateChildren } from "../dom.js";
import { screen } from "../queries.js";

export function renderStart(state) {
  document.documentElement.dataset.screen = screen(state);
  byId("board").tabIndex = state.isStart ? -1 : 0;
  byId("start-practice").hidden = !state.due;
  byId("due").textContent = t("puzzlesDue", { count: state.due });
  const { newest } = state.server;
  byId("start-newest").hidden = !newest;
  if (newest) byId("newest-name").textContent = joined(newest.name, momentText(1000 * newest.time));
  if (state.lesson) renderLesson(state);
  moveFocus(state.lesson);
}

let shown = null;                        // the lesson, and whether it is solved

/** The keyboard's focus goes with a lesson: to a new board, and from a solved one to what follows. */
function moveFocus(lesson) {
  const now = lesson && `${lesson.index} ${lesson.isSolved}`;
  if (now === shown) return;
  shown = now;
  const { activeElement, body } = document;
  if (now && !lesson.isSolved && (activeElement === body || !activeElement.checkVisibility())) {
    byId("board").focus({ preventScroll: true });
  } else if (now && lesson.isSolved && byId("board").matches(":focus-visible")) {
    document.querySelector("#lesson .primary:not([hidden])").focus();
  }
}

function renderLesson({ lesson: { index, isSolved, isWrong }, at: { score } }) {
  const { title, text, wrong, done } = LESSONS[index];
  updateChildren(byId("lesson-list"), LESSONS.map((each, i) => {
    const button = Object.assign(document.createElement("button"), { textContent: isSolved && i === index ? "✓" : i + 1 });
    Object.assign(button.dataset, { action: "openLesson", value: i });
    button.setAttribute("aria-label", t("lessonOf", { number: i + 1, count: LESSONS.length, title: t(each.title) }));
    if (i === index) button.setAttribute("aria-current", "step");
    const item = document.createElement("li");
    item.append(button);
    return item;
  }));
  const isLast = index === LESSONS.length - 1;
  const { B: black = 0, W: white = 0 } = score?.points ?? {};
  const answer = isSolved ? t(done, { black, white }) : isWrong ? t(wrong) : "";
  for (const [id, shown] of [["title", t(title)], ["text", t(text)], ["answer", answer]]) {
    const element = byId(`lesson-${id}`);
    if (element.textContent !== shown) element.textContent = shown;
  }
  byId("lesson").classList.toggle("solved", isSolved);
  byId("lesson-next").hidden = !isSolved || isLast;
  byId("lesson-first").hidden = !isSolved || !isLast;
  byId("lesson-show").hidden = isSolved;
}
