// A client of Praxis servers for Node, Deno, Bun and browsers, on fetch alone.
//
//   import { Praxis } from "praxis-client";
//   const session = await new Praxis().session({ with: ["pandas"] });
//   console.log((await session.run("6*7")).value);

import { CodeError, PraxisError, errorOfAnswer, errorOfFault } from "./errors.js";
import { operations } from "./operations.js";
import { EventStream } from "./stream.js";

export { CodeError, PraxisError } from "./errors.js";
export { EventStream } from "./stream.js";

const defaultServer = "http://127.0.0.1:7411";
const maxResult = 256 << 20;
const maxProblem = 1 << 20;

const environment = () => globalThis.process?.env ?? {};

/** A client of a server. The server is PRAXIS_SERVER and the key PRAXIS_KEY unless they are given. */
export class Praxis {
  #http;

  constructor({ server, key, fetch } = {}) {
    this.server = server ?? environment().PRAXIS_SERVER ?? defaultServer;
    this.#http = new Http(this.server, key, fetch ?? globalThis.fetch);
    for (const [group, table] of Object.entries(operations)) {
      this[group] = Object.fromEntries(Object.entries(table).flatMap(([name, row]) => functions(this.#http, name, row)));
    }
  }

  /** Makes a session. With "await using" it is deleted at the end of the block. */
  async session(options = {}) {
    return new Session(this, (await this.sessions.create(options)).id);
  }

  /** A session that is there. */
  async attach(id) {
    return new Session(this, (await this.sessions.get({ session: id })).id);
  }

  /** Asks a question that is answered by code: a promise of the answer, or with stream an
   * iterable of what happens on the way, which goes on over lost connections. */
  ask(question, { files, stream = false, signal, ...options } = {}) {
    const asked = async () => ({ ...options, question, files: await given(files) });
    if (!stream) {
      return asked().then((params) => this.runs.askStream(params, { signal }).wait()).then((run) => new Run(run));
    }
    return new EventStream(null, {
      begin: async () => {
        const { id: run } = await this.runs.ask({ ...(await asked()), detach: true }, { signal });
        return { connect: this.runs.events({ run }, { signal }).connect, leave: () => this.runs.cancel({ run }) };
      },
      result: (run) => new Run(run),
      resume: true,
      signal,
    });
  }
}

/** How long what was interrupted may take to end, in milliseconds. */
const endingFor = 10_000;

/** A session: variables and files that stay from one piece of code to the next. */
export class Session {
  constructor(client, id) {
    this.client = client;
    this.id = id;
  }

  /** Runs code and waits for its end. Aborting the signal interrupts it. */
  async run(code, { signal, ...options } = {}) {
    // As a stream, in which the server says that it is still there: fetch and proxies give up
    // a connection on which nothing happens.
    try {
      return new Result(await this.client.executions.startStream({ ...options, session: this.id, code }, { signal }).wait());
    } catch (error) {
      if (signal?.aborted) await this.#free();
      throw error;
    }
  }

  /** Waits until what was interrupted has ended, so that the next call finds the session free. */
  async #free() {
    for (const until = Date.now() + endingFor; Date.now() < until; ) {
      const { executions } = await this.client.executions.list({ session: this.id }).catch(() => ({ executions: [] }));
      if (executions.every((x) => x.ended)) return;
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  /** Runs code, and follows what happens, over lost connections, too. */
  stream(code, { signal, ...options } = {}) {
    const session = this.id;
    const { executions } = this.client;
    return new EventStream(null, {
      begin: async () => {
        const { id: execution } = await executions.start({ ...options, session, code, detach: true }, { signal });
        return { connect: executions.events({ session, execution }, { signal }).connect, leave: () => executions.interrupt({ session, execution }) };
      },
      result: (execution) => new Result(execution),
      resume: true,
      signal,
    });
  }

  /** Writes a file: a text, bytes, a Blob or a stream of bytes. */
  write(path, data) {
    return this.client.files.write({ session: this.id, path }, data);
  }

  /** The content of a file, whole. */
  async read(path) {
    return (await this.open(path)).bytes();
  }

  /** The content of a file, as it comes. */
  open(path) {
    return this.client.files.read({ session: this.id, path });
  }

  /** What is in a folder, and below it; by default in the working folder. */
  async files(path) {
    return (await this.client.files.list({ session: this.id, path })).files;
  }

  /** Sessions that go on from this state, each by itself. */
  async fork(count = 1) {
    return (await this.client.sessions.fork({ session: this.id, count })).sessions.map((s) => new Session(this.client, s.id));
  }

  /** Saves the state, and returns its id. */
  async snapshot(label) {
    return (await this.client.sessions.snapshot({ session: this.id, label })).id;
  }

  /** Goes back to a state; by default to the one before the last. */
  async rollback(snapshot) {
    await this.client.sessions.rollback({ session: this.id, snapshot });
  }

  /** Saves the state and gives the memory back; the next call goes on. */
  async pause() {
    await this.client.sessions.pause({ session: this.id });
  }

  /** Ends the session and removes its state. */
  delete() {
    return this.client.sessions.delete({ session: this.id });
  }

  [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    return this.delete();
  }
}

/** What a piece of code did. That it raised is no exception here: status says so. */
export class Result {
  constructor(raw) {
    if (raw.failure) throw errorOfFault(raw.failure, raw);
    if (!raw.execution) throw new PraxisError("cannot read the result: it is none of an execution that ended");
    this.id = raw.id;
    this.raw = raw.execution;
  }

  get status() {
    return this.raw.status;
  }

  get ok() {
    return this.raw.status === "ok";
  }

  get stdout() {
    return this.raw.stdout;
  }

  get stderr() {
    return this.raw.stderr;
  }

  /** The value of the last expression as text. */
  get value() {
    return this.raw.result?.text;
  }

  get error() {
    return this.raw.error;
  }

  /** Throws a CodeError unless the code came to its end. */
  check() {
    if (!this.ok) throw new CodeError(this);
    return this;
  }
}

/** What a question came to. */
export class Run {
  constructor(raw) {
    if (raw.failure) throw errorOfFault(raw.failure, raw);
    if (!raw.answer) throw new PraxisError("cannot read the result: it is none of a question that was answered");
    this.id = raw.id;
    this.record = raw.record ?? "";
    this.answer = raw.answer;
    this.raw = raw;
  }

  get text() {
    return this.answer.text;
  }

  /** The answer as JSON has it, where it is more than a text. */
  get value() {
    return this.answer.value;
  }

  /** Every figure of the answer was traced to an output or to the question. */
  get verified() {
    return this.answer.verified;
  }
}

/** The functions of an operation: one that can stream has another beside it that does. */
function functions(http, name, [method, path, query, kind]) {
  const send = (params, options, more) => http.send(method, path, query, params, { ...options, ...more });
  const stream = (params, options, resume) =>
    new EventStream((after) => send(params, options, { accept: "text/event-stream", after }).then((r) => r.body), { resume, signal: options.signal });
  switch (kind) {
    case "events":
      return [
        [name, async (params = {}, options = {}) => read(await send(params, options))],
        [name + "Stream", (params = {}, options = {}) => stream({ ...params, stream: true }, options, false)],
      ];
    case "follow":
    case "watch":
      return [[name, (params = {}, options = {}) => stream(params, options, kind === "follow")]];
    case "download":
      return [[name, async (params = {}, options = {}) => new Content(await send(params, options))]];
    case "upload":
      return [[name, async (params, data, options = {}) => read(await send(params, options, { data }))]];
  }
  return [[name, async (params = {}, options = {}) => read(await send(params, options))]];
}

/** The bytes of a file, as they come: iterate, or take them whole. */
export class Content {
  constructor(response) {
    this.stream = response.body;
  }

  [Symbol.asyncIterator]() {
    return chunks(this.stream);
  }

  async bytes() {
    const parts = [];
    for await (const part of this) parts.push(part);
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  }

  async text() {
    return new TextDecoder().decode(await this.bytes());
  }
}

/** The pieces of a stream. Whoever leaves the loop cancels it. */
async function* chunks(stream) {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error) => {
        throw lost(error, "cannot read the answer");
      });
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** The JSON of an answer, undefined where there is none. */
async function read(response) {
  const text = await whole(response, maxResult);
  if (text === null) throw new PraxisError(`cannot read the result: it has more than ${maxResult} bytes`);
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new PraxisError("cannot read the result: it is no JSON");
  }
}

/** The text of an answer; null: it is longer than it may be. */
async function whole(response, most) {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  if (!response.body) return text;
  for await (const piece of chunks(response.body)) {
    size += piece.length;
    if (size > most) return null;
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

class Http {
  #server;
  #key;
  #fetch;

  constructor(server, key, fetch) {
    const url = new URL(server);
    if (!/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
      throw new TypeError("cannot use the server: its address is not like https://HOST:PORT");
    }
    if (key !== undefined && !/^[\x21-\x7e]*$/.test(key)) throw new TypeError("cannot use the key: it has characters that no key has");
    this.#server = url;
    this.#key = key;
    this.#fetch = (...args) => fetch(...args);
  }

  /** Sends a request, and gives the answer once its head is there. */
  async send(method, path, query, params, { signal, accept = "*/*", after = 0, data } = {}) {
    const body = { ...params };
    const url = new URL(this.#server);
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
      const value = String(body[name] ?? "");
      delete body[name];
      if (["", ".", ".."].includes(value)) throw new TypeError(`cannot use ${JSON.stringify(value)} as the ${name}`);
      return encodeURIComponent(value);
    });
    url.pathname = url.pathname.replace(/\/+$/, "") + filled;
    for (const name of query) {
      if (body[name] !== undefined && body[name] !== null) url.searchParams.set(name, String(body[name]));
      delete body[name];
    }
    const headers = { Accept: accept };
    this.#key ??= await defaultKey(url);
    if (this.#key) headers.Authorization = "Bearer " + this.#key;
    if (after) headers["Last-Event-ID"] = String(after);
    const request = { method, headers, signal, redirect: "error" };
    if (data !== undefined) {
      headers["Content-Type"] = "application/octet-stream";
      request.body = data;
      if (data instanceof ReadableStream) request.duplex = "half";
    } else {
      const names = Object.keys(body).filter((name) => body[name] !== undefined);
      if (method === "GET" && names.length > 0) throw new TypeError(`cannot use the parameter ${names[0]}: there is none of this name`);
      if (names.length > 0) {
        headers["Content-Type"] = "application/json";
        request.body = JSON.stringify(body);
      }
    }
    const response = await this.#fetch(url, request).catch((error) => {
      throw lost(error, `cannot reach the server at ${url.host}`, "Start it, or give its address in PRAXIS_SERVER.");
    });
    if (response.ok) return response;
    throw errorOfAnswer(response.status, response.headers, (await whole(response, maxProblem)) ?? "");
  }
}

/** What a failure of fetch means. That the caller aborted it stays what it is. */
function lost(error, text, remedy = "Try again.") {
  if (error?.name === "AbortError" || error?.name === "TimeoutError") return error;
  return new PraxisError(`${text}: ${error?.cause?.message || error?.message || error}`, { kind: "unavailable", remedy, cause: error });
}

/** The key in PRAXIS_KEY, or the first one of a server of this machine and user. */
async function defaultKey(url) {
  const env = environment();
  if (env.PRAXIS_KEY) return env.PRAXIS_KEY.trim();
  if (!["127.0.0.1", "[::1]", "localhost"].includes(url.hostname)) return "";
  try {
    const { readFile } = await import("node:fs/promises");
    const data = env.PRAXIS_HOME || (env.XDG_DATA_HOME || `${env.HOME}/.local/share`) + "/praxis";
    return (await readFile(data + "/server/key", "utf8")).trim();
  } catch {
    return ""; // there is none, or this is no place with files
  }
}

/** The files of a question: paths, or contents by name. */
async function given(files) {
  if (files === undefined) return undefined;
  if (typeof files === "string") throw new TypeError("files is a list of paths, or an object of contents by name");
  let contents = Object.entries(files);
  if (Array.isArray(files)) {
    const [{ readFile }, { basename }] = await Promise.all([import("node:fs/promises"), import("node:path")]);
    contents = await Promise.all(files.map(async (path) => [basename(String(path)), await readFile(path)]));
  }
  return Promise.all(contents.map(async ([name, content]) => (typeof content === "string" ? { name, text: content } : { name, data: await base64(content) })));
}

async function base64(content) {
  const bytes = new Uint8Array(await new Blob([content]).arrayBuffer());
  if (globalThis.Buffer) return Buffer.from(bytes).toString("base64");
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}
