// BadInput: a request that cannot be answered; its message is for the person.  Python's words (core.files, games.position).

export class BadInput extends Error {}

/** A move or a stone that the rules forbid. */
export class IllegalMove extends BadInput {}

/** A value as Python's repr shows a text. */
export const quoted = (text) => (text.includes("'") && !text.includes('"') ? `"${text}"`
  : `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`);
