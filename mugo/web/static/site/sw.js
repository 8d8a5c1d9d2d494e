// Keeps a static site for use without a connection, one whole version of it.  `mugo site` fills in the two constants.
//
// A file is stored under its path and the hash of its content, which is compared: a version is complete and of one build, or it
// is not installed.  The next version takes over what is the same, waits until no page uses this one, and removes it.

const VERSION = "{version}";
const FILES = {files};                   // path -> [hash, whether it is stored at once, else when it is first used]

const { scope } = registration;
const CACHE = `${scope} ${VERSION}`;      // other sites of the same host have other scopes
const keyOf = (path) => new URL(`${path}?${FILES[path][0]}`, scope).href;

addEventListener("install", (event) => event.waitUntil(store()));
addEventListener("activate", (event) => event.waitUntil(removeOthers()));
addEventListener("fetch", (event) => {
  const { request } = event;
  const path = request.url.startsWith(scope) ? new URL(request.url).pathname.slice(new URL(scope).pathname.length) || "index.html" : "";
  if (request.method === "GET" && path in FILES) event.respondWith(answer(path, event));
});
addEventListener("message", () => skipWaiting());

async function store() {
  const cache = await caches.open(CACHE);
  const wanted = Object.keys(FILES).filter((path) => FILES[path][1]);
  await Promise.all(wanted.map(async (path) => {
    const key = keyOf(path);
    await cache.put(key, await caches.match(key) ?? await fetchWhole(path));
  }));
}

/** A file as it is on the web server, if it is of this version. */
async function fetchWhole(path) {
  const response = await fetch(new URL(path, scope), path.includes(VERSION) ? {} : { cache: "no-cache" });
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await response.clone().arrayBuffer()));
  const hash = Array.from(digest.slice(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (!response.ok || hash !== FILES[path][0]) throw new Error(`${path} is not of version ${VERSION}`);
  return response;
}

async function answer(path, event) {
  const { request } = event;
  if (request.mode === "navigate" && registration.waiting && (await clients.matchAll({ type: "window" })).length < 2) {
    registration.waiting.postMessage("");        // the only page is loaded again: the next version takes over
    return new Response("", { headers: { Refresh: "0" } });
  }
  const cache = await caches.open(CACHE);
  const stored = await cache.match(keyOf(path));
  if (stored) return stored;
  const response = await fetch(request);
  if (response.ok) event.waitUntil(cache.put(keyOf(path), response.clone()));
  return response;
}

async function removeOthers() {
  const names = (await caches.keys()).filter((name) => name.startsWith(`${scope} `) && name !== CACHE);
  await Promise.all(names.map((name) => caches.delete(name)));
  await clients.claim();
}
