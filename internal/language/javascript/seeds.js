// Random numbers and stopwatches: the same again under a seed, others in every copy of a
// session.
//
// A snapshot copies the memory of the interpreter, and with it the state of every
// generator in it. So Math.random is a generator of ours, which can be seeded, and what
// node:crypto and Web Crypto give is read from the system, whose randomness the sandbox
// gives anew to each copy, or by its seed.
'use strict';

const fs = require('node:fs');
const crypto = require('node:crypto');

const PIECE = 1 << 20;
const readSync = fs.readSync.bind(fs);
const openSync = fs.openSync.bind(fs);
const closeSync = fs.closeSync.bind(fs);

function fill(bytes) {
  const fd = openSync('/dev/urandom', 'r');
  try {
    for (let at = 0; at < bytes.length;) at += readSync(fd, bytes, at, Math.min(PIECE, bytes.length - at), null);
  } finally {
    closeSync(fd);
  }
  return bytes;
}

const viewOf = (data) => (ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data));

class Seeds {
  constructor() {
    this.state = new Uint32Array(4);
    this.known = false;
    this.steady = false; // stopwatches follow the date
    const random = () => this.random();
    Object.defineProperty(random, 'name', { value: 'random' });
    Object.defineProperty(Math, 'random', { value: random, configurable: true, writable: true, enumerable: false });
    this.crypto();
  }

  // set begins what follows from a seed.
  set(seed) {
    let n = BigInt.asUintN(64, BigInt(Math.trunc(Number(seed)) || 0));
    for (let i = 0; i < 4; i++) { // splitmix64
      n = BigInt.asUintN(64, n + 0x9e3779b97f4a7c15n);
      let z = n;
      z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
      z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
      this.state[i] = Number((z ^ (z >> 31n)) & 0xffffffffn);
    }
    this.known = true;
    if (!this.steady) this.stopwatches();
    this.steady = true;
  }

  // stopwatches are counted from the date. A session's monotonic clock goes on a step
  // whenever a thread reads it, and the engine's own threads do so as often as they happen
  // to run.
  stopwatches() {
    const date = Date.now;
    const origin = Math.floor(date() / 1e3) * 1e3;
    let last = 0; // microseconds
    const now = () => (last = Math.max(last + 10, (date() - origin) * 1e3));
    const original = process.hrtime;
    const hrtime = (since) => {
      const at = now(), seconds = Math.floor(at / 1e6), rest = (at % 1e6) * 1e3;
      if (since === undefined) return [seconds, rest];
      if (!Array.isArray(since) || since.length !== 2) return original(since); // throws
      const left = rest - since[1];
      return left < 0 ? [seconds - since[0] - 1, left + 1e9] : [seconds - since[0], left];
    };
    hrtime.bigint = () => BigInt(now()) * 1000n;
    const put = (object, name, value) => Object.defineProperty(object, name, { value, configurable: true, writable: true, enumerable: true });
    put(process, 'hrtime', hrtime); // console.time asks it, too
    put(process, 'uptime', () => now() / 1e6);
    put(performance, 'now', () => now() / 1e3);
    put(performance, 'timeOrigin', origin);
  }

  // mix makes the generator differ from that of other copies.
  mix(hex) {
    const entropy = Buffer.from(hex, 'hex');
    const fresh = fill(new Uint8Array(16));
    for (let i = 0; i < fresh.length; i++) fresh[i] ^= entropy[i] ?? 0;
    this.state.set(new Uint32Array(fresh.buffer));
    this.known = true;
  }

  // random is sfc32, with 53 bits of two of its numbers.
  random() {
    if (!this.known) this.mix('');
    const high = this.next() >>> 5, low = this.next() >>> 6;
    return (high * 67108864 + low) / 9007199254740992;
  }

  next() {
    const s = this.state;
    const t = (s[0] + s[1] + s[3]) >>> 0;
    s[3] = s[3] + 1;
    s[0] = s[1] ^ (s[1] >>> 9);
    s[1] = s[2] + (s[2] << 3);
    s[2] = ((s[2] << 21) | (s[2] >>> 11)) + t;
    return t;
  }

  crypto() {
    const original = { randomBytes: crypto.randomBytes, randomFillSync: crypto.randomFillSync, randomFill: crypto.randomFill, randomInt: crypto.randomInt };
    const later = (callback, value) => process.nextTick(callback, null, value);
    const randomBytes = (size, callback) => {
      if (typeof size !== 'number' || !(size >= 0 && size <= 2 ** 31 - 1)) return original.randomBytes(size, callback); // throws
      const out = Buffer.from(fill(new Uint8Array(size)).buffer);
      return typeof callback === 'function' ? later(callback, out) : out;
    };
    const randomFillSync = (data, offset = 0, size) => {
      if (!ArrayBuffer.isView(data) && !(data instanceof ArrayBuffer) && !(data instanceof SharedArrayBuffer)) return original.randomFillSync(data, offset, size);
      const unit = data.BYTES_PER_ELEMENT ?? 1;
      const bytes = viewOf(data);
      const begin = offset * unit, end = size === undefined ? bytes.length : begin + size * unit;
      if (!(begin >= 0 && begin <= end && end <= bytes.length)) return original.randomFillSync(data, offset, size);
      fill(bytes.subarray(begin, end));
      return data;
    };
    const randomFill = (data, ...rest) => {
      const callback = rest.pop();
      if (typeof callback !== 'function') return original.randomFill(data, ...rest, callback);
      randomFillSync(data, ...rest);
      return later(callback, data);
    };
    const randomInt = (low, high, callback) => {
      if (high === undefined || typeof high === 'function') [low, high, callback] = [0, low, high];
      const range = high - low;
      if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high) || range <= 0 || range > 2 ** 48 - 1) return original.randomInt(low, high, callback);
      const limit = 2 ** 48 - (2 ** 48 % range);
      let n;
      do n = Buffer.from(fill(new Uint8Array(6)).buffer).readUIntBE(0, 6); while (n >= limit);
      n = low + (n % range);
      return typeof callback === 'function' ? later(callback, n) : n;
    };
    const randomUUID = () => {
      const b = fill(new Uint8Array(16));
      b[6] = (b[6] & 0x0f) | 0x40;
      b[8] = (b[8] & 0x3f) | 0x80;
      const hex = Buffer.from(b.buffer).toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    };
    const put = (object, functions) => {
      for (const [name, value] of Object.entries(functions)) Object.defineProperty(object, name, { value, configurable: true, writable: true, enumerable: true });
    };
    put(crypto, { randomBytes, pseudoRandomBytes: randomBytes, prng: randomBytes, rng: randomBytes, randomFillSync, randomFill, randomInt, randomUUID });
    const web = Object.getPrototypeOf(crypto.webcrypto);
    const getRandomValues = web.getRandomValues;
    put(web, {
      randomUUID,
      getRandomValues(data) {
        if (!ArrayBuffer.isView(data) || data instanceof DataView || data instanceof Float32Array || data instanceof Float64Array || data.byteLength > 65536) return getRandomValues.call(crypto.webcrypto, data); // throws
        fill(viewOf(data));
        return data;
      },
    });
    require('node:module').syncBuiltinESMExports();
  }
}

module.exports = { Seeds };
