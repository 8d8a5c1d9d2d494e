// The opponents of a game: { key, group, name, strength } each.

/** The preferred opponent, or a default one if the game does not have it. */
export function defaultOpponent(opponents, preferred) {
  const keys = opponents.map(({ key }) => key);
  return [preferred, "mcts-200", "uct-1000"].find((key) => keys.includes(key)) ?? "";
}
