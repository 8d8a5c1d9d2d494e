// The screen: the start, a board to learn on, or a game; and the text of a lesson.

import { LESSONS } from "../core/lessons.js";
import { t } from "../core/texts.js";
import { byId, updateChildren } from "../dom.js";
import { screen } from "../queries.js";

export function renderStart(state) {
  document.documentElement.dataset.screen = screen(state);
  if (state.lesson) renderLesson(state);
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
