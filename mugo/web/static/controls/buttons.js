// The buttons and fields of the page, but for those of editing and of the dialogs.

import { hint, toggleAnalysis, toggleLineAnalysis } from "../actions/analysis.js";
import { openAnotherFile, openFiles, saveFile, writeComment } from "../actions/files.js";
import { frameProblem } from "../actions/edit.js";
import { searchWholeBoard, toggleChoosing } from "../actions/local.js";
import { backToMainLine, deleteMove, promote, redo, startAutoplay, step, stopPlaying, toggleAutoplay, undo } from "../actions/navigate.js";
import { play, playOn, resign, showBetter, takeBack, togglePause } from "../actions/play.js";
import { toggleScore } from "../actions/score.js";
import { again, reviewGame } from "../actions/game_over.js";
import { chooseLanguage, set, setOverlay, toggleEstimates } from "../actions/settings.js";
import { languageNames } from "../core/texts.js";
import { byId } from "../dom.js";
import { change, state } from "../store.js";
import { playClick } from "../view/sound.js";
import { askNewGame, updateFields, updateOpponents } from "./new_game.js";

export const autoplaySeconds = () => Number(byId("autoplay-seconds").value);

const CLICKS = {
  new: askNewGame, open: () => byId("file").click(), files: openAnotherFile, save: saveFile,
  help: () => byId("help-dialog").showModal(), settings: () => byId("settings-dialog").showModal(),
  pass: () => play("pass"), undo, redo, hint, score: toggleScore, "score-done": toggleScore, resign,
  estimate: toggleEstimates, "over-review": reviewGame, "over-again": () => again(), "over-weaker": () => again(-1), "over-stronger": () => again(1),
  "stop-playing": stopPlaying, pause: togglePause, autoplay: () => toggleAutoplay(autoplaySeconds()),
  back: backToMainLine, promote, delete: deleteMove,
  analyze: toggleAnalysis, "analyze-game": toggleLineAnalysis,
  "choose-region": () => toggleChoosing("region"), "choose-points": () => toggleChoosing("points"),
  "search-whole": searchWholeBoard, frame: frameProblem,
  "take-back": takeBack, "play-on": playOn, "show-better": showBetter,
};
for (const [id, action] of Object.entries(CLICKS)) byId(id).onclick = () => action();
for (const button of document.querySelectorAll("[data-step]")) button.onclick = () => step(button.dataset.step);
byId("file").onchange = ({ target }) => {
  openFiles([...target.files].map((file) => [file.name, file]));
  target.value = "";
};

const FIELDS = {
  language({ value }) {
    chooseLanguage(value);
    updateFields();
    updateOpponents();
  },
  coordinates: ({ checked }) => set({ coordinates: checked }),
  plane: ({ value }) => set({ plane: Number(value) }),
  "move-numbers": ({ value }) => set({ moveNumbers: value }),
  "search-player": ({ value }) => set({ searchPlayer: value }),
  "graph-unit": ({ value }) => set({ graphUnit: value }),
  "hide-analysis": ({ checked }) => set({ hidesAnalysis: checked }),
  teaching: ({ checked }) => set({ teaching: checked }),
  "teaching-level": ({ value }) => set({ teachingLevel: Number(value) }),
  sound({ checked }) {
    set({ sound: checked });
    if (checked) playClick();
  },
  "autoplay-seconds": () => state.autoplay && startAutoplay(autoplaySeconds()),
};
byId("language").append(...languageNames.map(([tag, name]) => new Option(name, tag)));
for (const [id, action] of Object.entries(FIELDS)) byId(id).onchange = ({ target }) => action(target);
byId("people-rank").oninput = ({ target }) => set({ peopleRank: state.game.ranks[target.value] });
for (const radio of document.querySelectorAll("[name=overlay]")) radio.onchange = () => setOverlay(radio.value);
for (const radio of document.querySelectorAll("#settings-dialog [type=radio]")) radio.onchange = () => set({ [radio.name]: radio.value });

const comment = byId("comment");
comment.onfocus = () => change(({ game }) => { state.writing = game.node; });
comment.oninput = () => writeComment(comment.value);
comment.onblur = () => change(() => { state.writing = null; });
