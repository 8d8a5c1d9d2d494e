// The WebSocket to the server: questions with one answer, and searches, which tell what they find until they are done.

export class Link {
  hello(answer) {}                       // hears the server's first message,
  changed(isThere) {}                    // and this whether there is a connection: the page puts others here

  constructor() {
    this.waiting = new Map();            // number of a question -> what to do with its answer
    this.count = 0;
    this.delay = 500;
  }

  open() {
    const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/line`;
    const socket = new WebSocket(address);
    this.ready = new Promise((resolve, reject) => {
      socket.onopen = () => resolve(socket);
      socket.onclose = ({ reason }) => {
        reject(new Error(reason || "the server does not answer"));
        this.lose(reason);
      };
    });
    this.ready.catch(() => {});
    socket.onmessage = ({ data }) => this.receive(JSON.parse(data));
  }

  lose(reason) {
    for (const { reject } of this.waiting.values()) reject(new Error(reason || "the connection was lost"));
    this.waiting.clear();
    this.ready = Promise.reject(new Error("the server does not answer"));
    this.ready.catch(() => {});
    this.changed(false);
    if (reason === "idle") {             // open again before whatever was pressed is asked for
      const woken = new AbortController();
      for (const name of ["pointerdown", "keydown"]) {
        addEventListener(name, () => { woken.abort(); this.open(); }, { capture: true, signal: woken.signal });
      }
    } else {
      setTimeout(() => this.open(), this.delay);
      this.delay = Math.min(2 * this.delay, 10_000);
    }
  }

  receive(answer) {
    if (answer.hello) {
      this.delay = 500;
      this.changed(true);
      this.hello(answer);
      return;
    }
    const asked = this.waiting.get(answer.id);
    if (!asked) return;
    if (answer.error) {
      this.waiting.delete(answer.id);
      asked.reject(new Error(answer.error));
    } else if (!asked.news || answer.done) {
      this.waiting.delete(answer.id);
      asked.resolve(answer);
    } else {
      asked.news(answer);
    }
  }

  /** Ask a question; resolves with the answer, and throws what the server finds wrong with it.
      news: for a search, which ends the one before: it hears what is found until then. */
  async ask(what, fields = {}, news = null) {
    const socket = await this.ready;
    const id = ++this.count;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject, news });
      socket.send(JSON.stringify({ id, do: what, ...fields }));
    });
  }
}
