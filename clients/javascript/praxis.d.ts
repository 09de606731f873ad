// The types of the client; those of the operations are in operations.d.ts.

import type * as wire from "./operations.js";

export type * as wire from "./operations.js";

export interface CallOptions {
  /** Aborting it ends the request, and interrupts what was begun with it. */
  signal?: AbortSignal;
}

export type CodeOptions = Omit<wire.NewExecution, "code" | "stream" | "detach"> & CallOptions;

/** files are paths, or contents by name. */
export type AskOptions = Omit<wire.Question, "question" | "files" | "stream" | "detach"> & CallOptions & { files?: string[] | Record<string, string | Uint8Array | Blob> };

/** What a file can be written from. */
export type Upload = string | Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array>;

/** The bytes of a file, as they come: iterate, or take them whole. */
export class Content implements AsyncIterable<Uint8Array> {
  readonly stream: ReadableStream<Uint8Array>;
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array>;
}

/** The events of an execution or a run, in order, and its result: iterate over it, or wait(). */
export class EventStream<R, E = wire.Event> implements AsyncIterable<E> {
  /** Reads what is left, and gives what the whole came to. */
  wait(): Promise<R>;
  /** What the whole came to, once all events were read. */
  readonly result: R;
  [Symbol.asyncIterator](): AsyncGenerator<E>;
}

/** What the server refused, or could not do, with what to do about it. */
export class PraxisError extends Error {
  readonly kind: "invalid" | "not_found" | "conflict" | "denied" | "exhausted" | "canceled" | "unavailable" | "internal" | (string & {});
  readonly code: string;
  readonly detail: string;
  readonly remedy: string;
  readonly data: Record<string, string>;
  /** Of HTTP; 0: it came with a result, or the server was not reached. */
  readonly status: number;
  readonly requestId: string;
  /** Seconds after which it may work. */
  readonly retryAfter?: number;
  /** The run or execution that failed, as the server describes it. */
  readonly result?: unknown;
}

/** Code did not come to its end, where that was expected. */
export class CodeError extends Error {
  readonly result: Result;
}

/** What a piece of code did. That it raised is no exception here: status says so. */
export class Result {
  readonly id: string;
  readonly raw: wire.EventExecution;
  readonly status: wire.EventExecution["status"];
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** The value of the last expression as text. */
  readonly value: string | undefined;
  readonly error: wire.Raised | undefined;
  /** Throws a CodeError unless the code came to its end. */
  check(): this;
}

/** What a question came to. */
export class Run {
  readonly id: string;
  /** The id of its record, which can be verified, replayed and exported. */
  readonly record: string;
  readonly answer: wire.Answer;
  readonly raw: wire.Run;
  readonly text: string;
  /** The answer as JSON has it, where it is more than a text. */
  readonly value: unknown;
  /** Every figure of the answer was traced to an output or to the question. */
  readonly verified: boolean;
}

/** A session: variables and files that stay from one piece of code to the next. */
export class Session {
  constructor(client: Praxis, id: string);
  readonly client: Praxis;
  readonly id: string;
  /** Runs code and waits for its end. Aborting the signal interrupts it. */
  run(code: string, options?: CodeOptions): Promise<Result>;
  /** Runs code, and follows what happens, over lost connections, too. */
  stream(code: string, options?: CodeOptions): EventStream<Result>;
  write(path: string, data: Upload): Promise<void>;
  /** The content of a file, whole. */
  read(path: string): Promise<Uint8Array>;
  /** The content of a file, as it comes. */
  open(path: string): Promise<Content>;
  files(path?: string): Promise<wire.File[]>;
  /** Sessions that go on from this state, each by itself. */
  fork(count?: number): Promise<Session[]>;
  /** Saves the state, and returns its id. */
  snapshot(label?: string): Promise<string>;
  /** Goes back to a state; by default to the one before the last. */
  rollback(snapshot?: string): Promise<void>;
  /** Saves the state and gives the memory back; the next call goes on. */
  pause(): Promise<void>;
  delete(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A client of a server. All operations are there by their names (records.list, keys.create, …). */
export class Praxis {
  /** The server is PRAXIS_SERVER and the key PRAXIS_KEY unless they are given. */
  constructor(options?: { server?: string; key?: string; fetch?: typeof fetch });
  readonly server: string;
  /** Makes a session. With "await using" it is deleted at the end of the block. */
  session(options?: wire.NewSession): Promise<Session>;
  /** A session that is there. */
  attach(id: string): Promise<Session>;
  ask(question: string, options: AskOptions & { stream: true }): EventStream<Run>;
  ask(question: string, options?: AskOptions & { stream?: false }): Promise<Run>;
}
export interface Praxis extends wire.Operations {}
