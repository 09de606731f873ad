// Server-sent events, also from servers that are cut off or lie, and the errors of a client.

import assert from "node:assert/strict";
import { test } from "node:test";

import { PraxisError, errorOfAnswer } from "../errors.js";
import { Praxis } from "../praxis.js";
import { EventStream, parse } from "../stream.js";

const bytes = (text) => new TextEncoder().encode(text);

async function read(chunks, most = 1000) {
  const out = [];
  for await (const { name, data, id } of parse(chunks, most)) out.push([name, data, id]);
  return out;
}

const whole = bytes('\ufeff: hello\r\nid: 1\r\nevent: output\r\ndata: {"a":\rdata:€}\n\n\rdata\n\nid: 2\nid: 3\x004\nretry: 5\nnonsense\nevent: x\ndata: y\n\ndata: cut');
const wanted = [["output", '{"a":\n€}', "1"], ["message", "", ""], ["x", "y", "2"]];

test("pieces may end anywhere", async () => {
  assert.deepEqual(await read([whole]), wanted);
  for (let size = 1; size < 12; size++) {
    const chunks = [new Uint8Array()];
    for (let i = 0; i < whole.length; i += size) chunks.push(whole.subarray(i, i + size));
    assert.deepEqual(await read(chunks), wanted, `pieces of ${size}`);
  }
});

test("what never ends is an error", async () => {
  for (const endless of [Array(100).fill(bytes("x".repeat(100))), Array(1000).fill(bytes("data: x\n")), Array(2000).fill(bytes("data\n"))]) {
    await assert.rejects(read(endless), PraxisError);
  }
  assert.deepEqual(await read(Array(1000).fill(bytes(": still there\n\n"))), []); // many lines are not a long one
});

test("nonsense is read the same in pieces", async () => {
  let seed = 7;
  const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  const alphabet = [...bytes("\r\n:\0 adeintv"), 0xff, 0xe2];
  for (let i = 0; i < 300; i++) {
    const data = Uint8Array.from({ length: 200 }, () => alphabet[random(alphabet.length)]);
    const at = random(200);
    assert.deepEqual(await read([data]), await read([data.subarray(0, at), data.subarray(at)]));
  }
});

const body = (...chunks) => {
  const error = chunks.at(-1) instanceof Error ? chunks.pop() : null;
  return new ReadableStream({
    pull(control) {
      if (chunks.length > 0) control.enqueue(bytes(chunks.shift()));
      else if (error) control.error(error);
      else control.close();
    },
  });
};
const event = (n) => `id: ${n}\nevent: output\ndata: {"stream":"stdout","text":"${n}"}\n\n`;
const end = 'event: end\ndata: {"id":"x"}\n\n';
const unavailable = new PraxisError("gone", { kind: "unavailable" });

function stream(answers, options = {}) {
  const asked = [];
  const connect = async (after) => {
    asked.push(after);
    const answer = answers.shift() ?? unavailable;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return [new EventStream(connect, { resume: true, pause: async () => {}, ...options }), asked];
}

test("a lost connection is made again", async () => {
  const [s, asked] = stream([
    body(event(1), event(2).slice(0, 20), new Error("reset")),
    unavailable,
    new PraxisError("slow down", { kind: "exhausted" }),
    body(event(1), event(2), 'event: lost\ndata: {"events":3}\n\n', event(6)),
    body(end),
  ]);
  const seen = [];
  for await (const e of s) seen.push([e.name, e.id]);
  assert.deepEqual(seen, [["output", 1], ["output", 2], ["lost", null], ["output", 6]]);
  assert.deepEqual(asked, [0, 1, 1, 1, 6]);
  assert.deepEqual(s.result, { id: "x" });
});

test("a server that is gone is given up, and what is refused is", async () => {
  let [s, asked] = stream([body(event(1))]);
  await assert.rejects(s.wait(), { kind: "unavailable" });
  assert.equal(asked.length, 9);
  assert.throws(() => s.result, PraxisError);
  [s, asked] = stream([body(event(1)), body(end)], { resume: false });
  await assert.rejects(s.wait(), { kind: "unavailable" });
  assert.deepEqual(asked, [0]);
  [s, asked] = stream([new PraxisError("no such run", { kind: "not_found" })]);
  await assert.rejects(s.wait(), { kind: "not_found" });
  assert.deepEqual(asked, [0]);
  await assert.rejects(stream([body("event: output\ndata: {\n\n")])[0].wait(), { kind: "internal" });
});

test("what is left is interrupted, and nothing is begun twice", async () => {
  let begun = 0;
  let left = 0;
  const begin = (...answers) => async () => {
    begun++;
    return { connect: async () => body(...answers), leave: async () => left++ };
  };
  let [s] = stream([], { begin: begin(event(1), event(2)) });
  for await (const _ of s) break;
  assert.deepEqual([begun, left], [1, 1]);
  [s] = stream([], { begin: begin(event(1), end), result: (r) => r.id });
  assert.equal(await s.wait(), "x");
  assert.deepEqual([begun, left], [2, 1]);
  [s] = stream([], { begin: async () => { begun++; throw unavailable; } });
  await assert.rejects(s.wait(), { kind: "unavailable" });
  assert.equal(begun, 3);
  const control = new AbortController();
  [s] = stream([], { begin: begin(event(1), event(2)), signal: control.signal, pause: async () => control.abort() });
  await assert.rejects(s.wait(), { name: "AbortError" });
  assert.deepEqual([begun, left], [4, 2]);
});

test("errors", async () => {
  const headers = new Headers({ "Retry-After": "2", "X-Request-Id": "R" });
  const e = errorOfAnswer(404, headers, '{"kind":"not_found","code":"c","detail":"cannot find it","remedy":"Look.","data":{"a":"b"}}');
  assert.deepEqual([e.kind, e.code, e.remedy, e.data, e.status, e.requestId, e.retryAfter, e.message], ["not_found", "c", "Look.", { a: "b" }, 404, "R", 2, "cannot find it. Look."]);
  for (const text of ["<html>", "[]", '{"kind":5,"detail":[],"data":7}', ""]) assert.equal(errorOfAnswer(502, new Headers(), text).kind, "unavailable");
});

test("names are no paths, addresses and keys are what they should be", async () => {
  const asked = [];
  const p = new Praxis({ server: "https://h/base/", key: "k", fetch: async (url, request) => (asked.push([String(url), request]), new Response("{}")) });
  for (const session of ["", ".", "..", undefined]) await assert.rejects(p.sessions.get({ session }), TypeError);
  await assert.rejects(p.records.list({ wrods: "x" }), TypeError);
  await p.files.list({ session: "../a b", path: "x&y", });
  assert.equal(asked[0][0], "https://h/base/v1/sessions/..%2Fa%20b/files?path=x%26y");
  assert.equal(asked[0][1].headers.Authorization, "Bearer k");
  assert.equal(asked[0][1].redirect, "error");
  for (const server of ["127.0.0.1:1", "ftp://h", "http://", "http://user:word@h", "http://h?x"]) assert.throws(() => new Praxis({ server }), TypeError);
  assert.throws(() => new Praxis({ server: "http://h", key: "secret\r\nX: y" }), (e) => e instanceof TypeError && !e.message.includes("secret"));
  await assert.rejects(new Praxis({ server: "http://127.0.0.1:1", key: "" }).about.get(), { kind: "unavailable" });
});
