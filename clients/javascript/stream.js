// Server-sent events: read from bytes, and followed over lost connections.

import { PraxisError } from "./errors.js";

/** How long an event may be, in characters: the server keeps no more than a part of it. */
const maxEvent = 64 << 20;

/** How many connections in a row may bring nothing before a stream gives up. */
const tries = 8;

/** The server says every ten seconds that a stream goes on. */
const quietFor = 60_000;

/** Reads server-sent events from pieces of bytes, as the HTML standard says (9.2.6). A piece may
 * end anywhere, within a character, too. What stands after the last empty line is no event. One
 * that is longer than most is an error: the sender may never end it. The id of a message is the
 * one that it brings itself. */
export async function* parse(pieces, most = maxEvent) {
  let [name, id, data, size] = ["", "", [], 0];
  for await (const line of lines(pieces, most)) {
    if (line === "") {
      if (data.length > 0) yield { name: name || "message", data: data.join("\n"), id };
      [name, id, data, size] = ["", "", [], 0];
      continue;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") {
      size += value.length + 1;
      if (size > most) throw new PraxisError(`cannot read events: one is longer than ${most} characters`);
      data.push(value);
    } else if (field === "event") {
      name = value;
    } else if (field === "id" && !value.includes("\0")) {
      id = value;
    }
  }
}

/** The lines of a stream, which end with CR, LF or both. The rest is no line. */
async function* lines(pieces, most) {
  const decoder = new TextDecoder(); // it takes the mark of byte order away, too
  let [parts, size, afterCR] = [[], 0, false];
  for await (const piece of pieces) {
    let text = decoder.decode(piece, { stream: true });
    if (text === "") continue;
    // A CR ends its line at once, and an LF that follows it belongs to it, though it comes with
    // the next piece.
    if (afterCR && text[0] === "\n") text = text.slice(1);
    afterCR = text === "" ? false : text.endsWith("\r");
    const found = text.split(/\r\n|\r|\n/);
    for (const [i, part] of found.entries()) {
      size += part.length;
      if (size > most) throw new PraxisError(`cannot read events: a line is longer than ${most} characters`);
      parts.push(part);
      if (i === found.length - 1) break;
      const line = parts.join("");
      [parts, size] = [[], 0];
      yield line;
    }
  }
}

/** The events of an execution or a run, in order, and its result: iterate over it, or wait().
 * One that follows goes on after a lost connection where it was, and misses nothing. Leaving a
 * loop over it before its end interrupts what it follows, where it was begun together with it. */
export class EventStream {
  #resume;
  #make;
  #begin;
  #leave;
  #signal;
  #pause;
  #after = 0;
  #idle = 0;
  #ended = false;
  #result;

  /** connect gives a promise of a stream of bytes with the events after a number. Where begin
   * is given it is called once, when the stream is first read, and gives connect, and what is
   * to be done when the stream is left. */
  constructor(connect, { resume, begin, result = (r) => r, signal, pause = (ms) => new Promise((done) => setTimeout(done, ms)) }) {
    this.connect = connect;
    this.#resume = resume;
    this.#make = result;
    this.#begin = begin;
    this.#signal = signal;
    this.#pause = pause;
  }

  /** Reads what is left, and gives what the whole came to. */
  async wait() {
    for await (const _ of this);
    return this.result;
  }

  /** What the whole came to, once all events were read. */
  get result() {
    if (!this.#ended) throw new PraxisError("cannot tell the result: the stream has not ended", { kind: "conflict", remedy: "Read its events first, or call wait()." });
    return this.#make(this.#result);
  }

  async *[Symbol.asyncIterator]() {
    if (this.#begin) {
      const begin = this.#begin;
      this.#begin = undefined; // nothing is begun twice, whatever became of the first time
      ({ connect: this.connect, leave: this.#leave } = await begin());
    }
    let left = true;
    try {
      while (!this.#ended) {
        let lost;
        try {
          yield* this.#connection();
        } catch (error) {
          lost = error;
        }
        if (this.#ended) break;
        const passes = lost === undefined || (lost instanceof PraxisError && ["unavailable", "exhausted"].includes(lost.kind));
        if (!passes || !this.#resume || ++this.#idle > tries) {
          left = this.#signal?.aborted ?? false;
          throw lost ?? new PraxisError("cannot read the events: the connection was lost", { kind: "unavailable", remedy: "Ask for what came of it." });
        }
        await this.#pause(Math.min(100 * 2 ** this.#idle, 5000));
        this.#signal?.throwIfAborted();
      }
      left = false;
    } finally {
      if (left && this.#leave) {
        await this.#leave().catch(() => {}); // it has ended, or the server cannot be told
      }
    }
  }

  /** The events of one connection that were not there before. */
  async *#connection() {
    for await (const message of parse(this.#heard(await this.connect(this.#after)))) {
      const event = eventOf(message);
      if (event.name === "end") {
        [this.#result, this.#ended] = [event.data, true];
        return;
      }
      if (event.id !== null) {
        if (event.id <= this.#after) continue;
        this.#after = event.id;
      }
      yield event;
    }
  }

  async *#heard(stream) {
    const reader = stream.getReader();
    try {
      for (;;) {
        const { done, value } = await inTime(reader.read());
        if (done) return;
        this.#idle = 0; // be it only that the stream still goes on
        yield value;
      }
    } catch (error) {
      if (this.#signal?.aborted) throw error;
      throw new PraxisError(`cannot read the events: ${error?.message ?? error}`, { kind: "unavailable", cause: error });
    } finally {
      reader.cancel().catch(() => {}); // the server is to notice at once that nobody reads
    }
  }
}

/** A promise, or an error when nothing comes for long. */
function inTime(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("nothing came for a minute")), quietFor);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function eventOf({ name, data, id }) {
  try {
    return { name, data: JSON.parse(data), id: /^\d{1,15}$/.test(id) ? Number(id) : null };
  } catch {
    throw new PraxisError(`cannot read event ${JSON.stringify(name.slice(0, 40))}: it is no JSON`);
  }
}
