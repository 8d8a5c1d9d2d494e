// The players, date and result of a file, and the comment.  A comment that is being written stays with its node.

import { describeSettings } from "../core/clock.js";
import { joined, t } from "../core/texts.js";
import { byId } from "../dom.js";

export function renderComment({ game, writing }) {
  const result = game.info.result && t("resultOfGame", { result: game.info.result });
  const { event, place, date, rules } = game.info;
  byId("game-info").textContent = joined(event, place, date, rules, describeSettings(game.info), result);
  const field = byId("comment");
  if (!writing && document.activeElement === field) field.blur();
  const text = (writing ?? game.node).comment ?? "";
  if (!writing && field.value !== text) field.value = text;
}
