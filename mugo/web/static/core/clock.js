// The clocks of a game, and the times that its nodes have.  Arithmetic only: view/clocks.js shows them, effects/clock.js starts them.
//
//   main time |=========>--------------| then |--period--|--period--| ...
//
// A period of byo-yomi (Japanese) starts again when a move is played in it, and is lost when it runs out; the game is
// lost with the last one.  With Fischer time, main time grows by the increment after each move.
//
//   settings   { main, period, periods, increment }, seconds; 0 for what the time system does not have
//   times      { B: side, W: side } after a move
//   side       { main, periods, left }: main time, periods, and what was left of the period in which the last move was
//              played, null in main time

import { formatNumber } from "./texts.js";

const PROPERTY = /(BL|WL|OB|OW)\s*\[\s*(\d+(?:\.\d+)?)\s*\]/g;
const DURATION = /^(\d+(?:\.\d+)?)$/;

/** The side after this many seconds of one move, before it is played: { main, periods, left, isOut }. */
export function spend({ main, periods }, seconds, { period }) {
  if (seconds < main || !period) return { main: Math.max(main - seconds, 0), periods, left: null, isOut: seconds >= main };
  const overtime = seconds - main;
  const lost = Math.floor(overtime / period);
  const left = periods - lost;
  return { main: 0, periods: Math.max(left, 0), left: left > 0 ? period - (overtime - lost * period) : 0, isOut: left <= 0 };
}

export class GameClock {
  /** node: the one after which the clock runs.  now: milliseconds of a clock that nobody sets. */
  constructor(settings, node, now = () => performance.now()) {
    Object.assign(this, { settings, node, now, isPaused: false });
    this.restore(node, null);
  }

  /** The times with which a game begins. */
  get full() {
    const { main, periods, increment } = this.settings;
    const side = { main: main || increment, periods, left: null };
    return { B: side, W: side };
  }

  /** Go to a node of the game, with the times after it; null: the full times.  The clock is stopped. */
  restore(node, times) {
    Object.assign(this, { node, sides: structuredClone(times ?? this.full), spent: 0, since: null, colour: null });
  }

  /** Let the clock of a colour run, or none. */
  run(colour) {
    if (colour === this.colour) return;
    this.spent = this.seconds();
    Object.assign(this, { colour, since: colour && this.now() });
  }

  /** Seconds of the current move so far. */
  seconds() { return this.spent + (this.colour ? (this.now() - this.since) / 1000 : 0); }

  /** The side of a colour now, as in `spend`.  toPlay: whose move it is. */
  side(colour, toPlay) { return spend(this.sides[colour], colour === toPlay ? this.seconds() : 0, this.settings); }

  /** Seconds until the clock of the colour whose move it is runs out. */
  secondsToEnd(toPlay) {
    const { main, periods } = this.sides[toPlay];
    return main + periods * this.settings.period - this.seconds();
  }

  /** The move of a colour has been played, which led to a node; gives the node its times. */
  press(colour, node) {
    const { main, periods, left } = this.side(colour, colour);
    const sides = { ...this.sides, [colour]: { main: main + this.settings.increment, periods, left } };
    this.restore(node, sides);
    this.isPaused = false;
    node.times = sides;
  }

  /** What the server needs to know of MuGo's clock: seconds, and the periods left with this one. */
  forServer(colour) {
    const { main, periods } = this.sides[colour];
    const { period, increment } = this.settings;
    return { main: Math.max(main - this.seconds(), 0), period, periods, increment };
  }

  /** The clock as it is stored: as of now.  Time between storing and reloading is charged to neither player. */
  toJSON() {
    const { settings, sides, isPaused } = this;
    return { settings, sides, isPaused, spent: this.seconds() };
  }

  static fromJSON({ settings, sides, isPaused, spent }, node) {
    const clock = new GameClock(settings, node);
    return Object.assign(clock, { sides, isPaused, spent });
  }
}

/** The times after a node, as far as they are known, of the game that is played or of a record (BL, WL, OB, OW). */
export function timesAt(node) {
  const times = {};
  for (let each = node; each && !(times.B && times.W); each = each.parent) {
    const found = each.times ?? recordedTimes(each);
    for (const colour of ["B", "W"]) if (found[colour]) times[colour] ??= found[colour];
  }
  return times;
}

/** In a record, time left belongs to the period where periods or moves of it are given. */
function recordedTimes({ properties = "" }) {
  const values = Object.fromEntries([...properties.matchAll(PROPERTY)].map(([, ident, value]) => [ident, Number(value)]));
  const times = {};
  for (const colour of ["B", "W"]) {
    const [left, periods] = [values[`${colour}L`], values[`O${colour}`]];
    if (left === undefined) continue;
    times[colour] = periods ? { main: 0, periods, left } : { main: left, periods: 0, left: null };
  }
  return times;
}

/** The fields of a node's message that become BL and OB, or WL and OW, for the side that has moved. */
export function timeLeft({ move, times, properties }) {
  if (!move || !times || properties !== undefined) return {};
  const { main, periods, left } = times[move[0]];
  return { time_left: tenths(left ?? main), ...(left === null ? {} : { overtime_left: periods }) };
}

const tenths = (seconds) => Math.round(10 * seconds) / 10;

/** '9:58', '1:02:03', '7.4' below ten seconds; upwards, so that a clock shows 0 only when it has run out. */
export function formatSeconds(seconds) {
  if (seconds < 10) return formatNumber(Math.ceil(10 * seconds - 1e-6) / 10, 1);
  const whole = Math.ceil(seconds - 1e-6);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const padded = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${padded(minutes)}:${padded(rest)}` : `${minutes}:${padded(rest)}`;
}

/** '4:10' in main time, '28 (3)' in the first of three periods. */
export function formatSide({ main, periods, left }) {
  return left === null ? formatSeconds(main) : `${formatSeconds(left)} (${periods})`;
}

/** The settings as texts of SGF's TM and OT. */
export function formatSettings({ main, period, periods, increment }) {
  const overtime = period ? `${periods}x${period} byo-yomi` : increment ? `${increment} fischer` : undefined;
  return { main_time: String(main), ...(overtime ? { overtime } : {}) };
}

/** The time system of a record for people: '10 min + 3x30 byo-yomi'. */
export function describeSettings({ main_time: main = "", overtime = "" }) {
  const minutes = DURATION.test(main) ? Number(main) / 60 : null;
  const text = minutes === null ? main : minutes ? `${formatNumber(Math.round(100 * minutes) / 100)} min` : "";
  return [text, overtime].filter(Boolean).join(" + ");
}
