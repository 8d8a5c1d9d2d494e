// Lists of opponents in dialogs.

/** The preferred opponent, or a default one if the game does not have it. */
export function defaultOpponent(opponents, preferred) {
  const keys = opponents.map(({ key }) => key);
  return [preferred, "mcts-200", "uct-1000"].find((key) => keys.includes(key)) ?? "";
}

/** Fill a list with the opponents of a game, in groups, each with its strength where that was measured. */
export function listOpponents(select, opponents, preferred) {
  const groups = new Map();
  for (const { key, group, name, strength } of opponents) {
    if (!groups.has(group)) groups.set(group, Object.assign(document.createElement("optgroup"), { label: group }));
    groups.get(group).append(new Option(strength ? `${name} · ${strength}` : name, key));
  }
  select.replaceChildren(...groups.values());
  select.value = defaultOpponent(opponents, preferred);
}
