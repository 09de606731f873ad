// The agent's socket: frames of a length and a JSON object. It is read from node's own
// handle, since a stream above it would have a state that an interrupt can cut short; by the
// event loop, so that the code's timers go on. It is written at once, so that what is
// printed is not lost or reordered whatever the code does next.
'use strict';

const fs = require('node:fs');
const { internalBinding } = require('internal/test/binding');
const { Pipe, constants } = internalBinding('pipe_wrap');
const { streamBaseState, kReadBytesOrError, kArrayBufferOffset } = internalBinding('stream_wrap');

const FD = 3;
const MAX_FRAME = 64 << 20;
const PIECE = 256 << 10; // characters or bytes of output in one frame
const writeSync = fs.writeSync.bind(fs);
const stringify = JSON.stringify;
const parse = JSON.parse;
const B = Buffer;
const timeOrigin = performance.timeOrigin;
const now = performance.now.bind(performance);

class Control {
  constructor(take) {
    this.takeMessage = take;
    this.have = [];
    this.size = 0;
    this.pending = null; // what of a frame is not written yet: an interrupt may fall into a write
    this.came = 0;
    this.blocking = false; // the descriptor is, while the agent is behind
  }

  begin() {
    this.handle = new Pipe(constants.SOCKET);
    this.handle.open(FD);
    this.handle.onread = (buffer) => {
      const n = streamBaseState[kReadBytesOrError];
      if (n < 0) this.end();
      else if (n > 0) this.read(B.from(buffer, streamBaseState[kArrayBufferOffset], n));
    };
    this.handle.readStart();
  }

  // end ends the process for good: process.exit is the user's by now.
  end() {
    process.emit('exit', 0);
    process.kill(process.pid, 'SIGKILL');
  }

  ref() { this.handle.ref(); }
  unref() { this.handle.unref(); }

  read(data) {
    this.came = Math.round((timeOrigin + now()) * 1e6);
    this.have.push(data);
    this.size += data.length;
    while (this.size >= 4) {
      const all = this.have.length === 1 ? this.have[0] : B.concat(this.have, this.size);
      const length = all.readUInt32BE(0);
      if (length > MAX_FRAME) return this.end();
      this.have = [all];
      if (all.length < 4 + length) return;
      const body = all.subarray(4, 4 + length);
      const rest = all.subarray(4 + length);
      this.have = rest.length ? [rest] : [];
      this.size = rest.length;
      this.takeMessage(parse(body.toString('utf8')));
    }
  }

  send(message) {
    const body = B.from(stringify(message), 'utf8');
    if (body.length > MAX_FRAME) throw new RangeError(`a message of ${body.length} bytes is over the bound of ${MAX_FRAME}`);
    const frame = B.allocUnsafe(4 + body.length);
    frame.writeUInt32BE(body.length, 0);
    body.copy(frame, 4);
    this.flush();
    this.pending = { frame, at: 0 };
    this.flush();
  }

  // flush writes what is pending. The count is added where the engine looks for no
  // interrupt, so that a frame is never cut.
  flush() {
    const p = this.pending;
    if (p === null) return;
    while (p.at < p.frame.length) {
      try {
        p.at += writeSync(FD, p.frame, p.at);
      } catch (error) {
        if (error?.code !== 'EAGAIN') throw error;
        // The agent is behind: wait for it in the system call, which takes no time of
        // a session's clocks.
        this.blocking = true;
        this.handle.setBlocking(true);
        p.at += writeSync(FD, p.frame, p.at);
        this.unblock();
      }
    }
    this.pending = null;
  }

  unblock() {
    if (!this.blocking) return;
    this.handle.setBlocking(false);
    this.blocking = false;
  }

  // recover finishes what an interrupt fell into.
  recover() {
    this.unblock();
    this.flush();
  }

  // output sends what was written to a stream: text, or bytes.
  output(id, stream, data) {
    if (typeof data === 'string') {
      for (let at = 0; at < data.length;) {
        let to = Math.min(data.length, at + PIECE);
        const last = data.charCodeAt(to - 1);
        if (to < data.length && last >= 0xd800 && last < 0xdc00) to++; // a pair is not cut
        this.send({ type: 'output', id, stream, text: at === 0 && to === data.length ? data : data.slice(at, to) });
        at = to;
      }
      return;
    }
    for (let at = 0; at < data.length; at += PIECE) {
      this.send({ type: 'output', id, stream, data: B.from(data.buffer, data.byteOffset + at, Math.min(PIECE, data.length - at)).toString('base64') });
    }
  }

  display(id, bundle) { this.send({ type: 'display', id, bundle }); }
}

module.exports = { Control };
