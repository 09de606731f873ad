// The standard streams. What the code prints goes to the agent in frames, so that the
// order between the two streams, and between output and displays, is that of the code.
'use strict';

const fs = require('node:fs');
const { Writable } = require('node:stream');

const MAX_GATHERED = 64 << 20; // bytes of a program's output, for which code waits

let send = () => {};

class Output extends Writable {
  constructor(fd, columns) {
    super({ decodeStrings: false });
    this.fd = fd;
    this._type = 'pipe';
    this._isStdio = true;
    this.columnsOf = columns;
  }

  get columns() { return this.columnsOf(); }

  // write sends at once, without the queue of a stream: an interrupt may fall into it, and
  // would leave the queue waiting for ever.
  write(chunk, encoding, callback) {
    if (typeof encoding === 'function') [encoding, callback] = [undefined, encoding];
    if (typeof chunk === 'string') {
      if (encoding && !/^utf-?8$/i.test(encoding)) chunk = Buffer.from(chunk, encoding);
    } else if (ArrayBuffer.isView(chunk)) {
      chunk = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    } else {
      const error = new TypeError(`The "chunk" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ${chunk === null ? 'null' : typeof chunk}`);
      throw Object.assign(error, { code: chunk === null ? 'ERR_STREAM_NULL_VALUES' : 'ERR_INVALID_ARG_TYPE' });
    }
    send(this.fd, chunk);
    if (typeof callback === 'function') process.nextTick(callback, null);
    return true;
  }

  _destroy(error, callback) { callback(error); }
  destroySoon() {}
  end(chunk, encoding, callback) { // as in node, they cannot be closed
    if (typeof chunk !== 'function' && chunk !== undefined && chunk !== null) this.write(chunk, typeof encoding === 'string' ? encoding : undefined);
    const last = [chunk, encoding, callback].find((f) => typeof f === 'function');
    if (last) process.nextTick(last);
    return this;
  }
}

function install(output, columns) {
  send = output;
  for (const [name, fd] of [['stdout', 1], ['stderr', 2]]) {
    const stream = new Output(fd, columns);
    Object.defineProperty(process, name, { configurable: true, enumerable: true, get: () => stream });
  }
  gather();
}

// gather lets a program that the code waits for, and that writes to the kernel's own
// streams, write to us: what it says then stands where the code started it.
function gather() {
  const { internalBinding } = require('internal/test/binding');
  const binding = internalBinding('spawn_sync');
  const spawn = binding.spawn;
  binding.spawn = function (options) {
    const taken = [];
    const stdio = options.stdio?.map((one, at) => {
      const to = one?.type === 'inherit' ? at : one?.type === 'fd' ? one.fd : 0;
      if (to !== 1 && to !== 2) return one;
      taken[at] = to;
      return { type: 'pipe', readable: false, writable: true };
    });
    const result = spawn.call(this, taken.length ? { ...options, stdio, maxBuffer: Math.max(options.maxBuffer ?? 0, MAX_GATHERED) } : options);
    taken.forEach((fd, at) => {
      const data = result.output?.[at];
      if (data?.length) send(fd, data);
      if (result.output) result.output[at] = null;
    });
    return result;
  };
}

// input makes process.stdin of what is descriptor 0 now.
function input() {
  let stream;
  Object.defineProperty(process, 'stdin', {
    configurable: true, enumerable: true,
    get: () => stream ??= Object.assign(new fs.ReadStream(null, { fd: 0, autoClose: false }), { fd: 0 }),
  });
}

module.exports = { install, input };
