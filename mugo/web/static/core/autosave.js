// The games that the browser keeps, in a storage of kept.js: one entry a game, so that tabs do not overwrite each other's.
//
//   mugo-game-ID   a line of JSON, { revision, saved, summary }, and a line with the game
//
// A tab knows the revision that it has written or read.  If the entry has another one by now, another tab plays on with
// that game, and this tab's goes into an entry of its own.

import { t } from "./texts.js";

const PREFIX = "mugo-game-";
export const MAX_GAMES = 1000;
export const MAX_CHARACTERS = 1e8;       // of all games
const MAX_GAME_CHARACTERS = 1e6;  // of one

const newId = () => Array.from(crypto.getRandomValues(new Uint32Array(3)), (number) => number.toString(36)).join("");

/** The header of an entry's text: { revision, saved, summary }; null if it is damaged. */
function header(text) {
  try {
    const found = JSON.parse(text.slice(0, text.indexOf("\n")));
    return typeof found.revision === "string" && found.summary ? found : null;
  } catch {
    return null;
  }
}

/** The entries of a storage, the last saved first: [{ id, size, revision, saved, summary }]. */
export function listEntries(storage) {
  const entries = [];
  for (let i = 0; i < storage.length; i++) {
    const key = storage.key(i);
    if (!key.startsWith(PREFIX)) continue;
    const text = storage.getItem(key) ?? "";
    entries.push({ id: key.slice(PREFIX.length), size: text.length, saved: 0, summary: null, ...header(text) });
  }
  return entries.sort((a, b) => b.saved - a.saved);
}

/** Store a game.  savedAs: { id, revision } of its entry, null for a new one; body: JSON text without line breaks.
    The oldest games make room.  Returns the new savedAs.  Throws if the game is too large, or if the storage is full or
    forbidden; the games are then as they were. */
export function saveEntry(storage, savedAs, summary, body, saved = Date.now()) {
  if (body.length > MAX_GAME_CHARACTERS) throw new Error(t("gameTooLarge"));
  const stored = savedAs && storage.getItem(PREFIX + savedAs.id);
  const isOwn = savedAs && (!stored || header(stored)?.revision === savedAs.revision);
  const written = { id: isOwn ? savedAs.id : newId(), revision: newId() };
  const text = `${JSON.stringify({ revision: written.revision, saved, summary })}\n${body}`;
  const others = listEntries(storage).filter(({ id }) => id !== written.id);
  let size = others.reduce((sum, each) => sum + each.size, text.length);
  const removed = [];                    // [key, text] of the games that made room
  const removeOldest = () => {
    const oldest = others.pop();
    const key = PREFIX + oldest.id;
    removed.push([key, storage.getItem(key)]);
    storage.removeItem(key);
    size -= oldest.size;
  };
  try {
    while (others.length && (others.length >= MAX_GAMES || size > MAX_CHARACTERS)) removeOldest();
    for (;;) {
      try {
        storage.setItem(PREFIX + written.id, text);
        return written;
      } catch (error) {
        if (!others.length || !isFull(error)) throw error;
        removeOldest();
      }
    }
  } catch (error) {
    for (const [key, kept] of removed.toReversed()) {
      try {
        if (kept !== null) storage.setItem(key, kept);
      } catch {
        // another tab has taken the room meanwhile
      }
    }
    throw error;
  }
}

/** Whether an error says that the storage is full; the second name is of older Firefox. */
export const isFull = ({ name }) => name === "QuotaExceededError" || name === "NS_ERROR_DOM_QUOTA_REACHED";

/** The game of an entry: { savedAs, body }.  Throws if it is gone or damaged. */
export function readEntry(storage, id) {
  const text = storage.getItem(PREFIX + id) ?? "";
  const found = header(text);
  if (!found) throw new Error(t("gameIsGone"));
  return { savedAs: { id, revision: found.revision }, body: JSON.parse(text.slice(text.indexOf("\n") + 1)) };
}

export function deleteEntry(storage, id) { storage.removeItem(PREFIX + id); }

export function deleteAll(storage) {
  for (const { id } of listEntries(storage)) deleteEntry(storage, id);
}
