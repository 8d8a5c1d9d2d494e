// The games that the browser keeps: a storage with the methods of localStorage, in memory and in IndexedDB, which has room
// for thousands.  A tab reads all games at its start, and hears of those that other tabs write.

const [DATABASE, STORE, OLD] = ["mugo", "games", "mugo-game-"];      // OLD: names of games in localStorage, from before

const settled = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

class Kept {
  onChange() {}                          // called when the games have changed elsewhere; controls/saved_games.js replaces it
  onError(error) {}                      // called when a game could not be written; effects/storage.js replaces it

  #games = new Map();                    // name -> text
  #others = null;                        // the channel to other tabs
  #database = null;
  #error = null;                         // why there is no database

  /** Read all games; those that are written meanwhile stay. */
  async open() {
    this.#others = new BroadcastChannel("mugo-games");
    this.#others.onmessage = ({ data: [name, text] }) => {
      this.#note(name, text);
      this.onChange();
    };
    try {
      const request = indexedDB.open(DATABASE, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(STORE);
      const database = await settled(request);
      const games = database.transaction(STORE).objectStore(STORE);
      const [names, texts] = await Promise.all([settled(games.getAllKeys()), settled(games.getAll())]);
      names.forEach((name, i) => this.#games.has(name) || this.#games.set(name, texts[i]));
      this.#database = database;
      for (const [name, text] of this.#games) if (!names.includes(name)) this.setItem(name, text);
      for (const name of Object.keys(localStorage).filter((each) => each.startsWith(OLD))) {
        this.setItem(name, localStorage.getItem(name));
        localStorage.removeItem(name);
      }
    } catch (error) {
      this.#error = error;
      this.onError(error);
    }
    this.onChange();
  }

  get length() { return this.#games.size; }

  key(i) { return [...this.#games.keys()][i]; }

  getItem(name) { return this.#games.get(name) ?? null; }

  setItem(name, text) {
    if (this.#error) throw this.#error;
    this.#write(name, text);
  }

  removeItem(name) { this.#write(name, null); }

  #write(name, text) {
    this.#note(name, text);
    this.#others?.postMessage([name, text]);
    if (!this.#database) return;         // open() writes it
    const transaction = this.#database.transaction(STORE, "readwrite");
    if (text === null) transaction.objectStore(STORE).delete(name);
    else transaction.objectStore(STORE).put(text, name);
    transaction.onabort = () => this.onError(transaction.error);
  }

  #note(name, text) {
    if (text === null) this.#games.delete(name);
    else this.#games.set(name, text);
  }
}

export const kept = new Kept();          // main.js opens it
