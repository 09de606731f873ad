// Errors as the user should read them: the lines of the cells and of the user's files,
// nothing of node's inside or the kernel's.
'use strict';

const util = require('node:util');
const { hintOf } = require('./hints.js');

const MAX_TEXT = 100_000;
const MAX_VALUE = 20_000;
const MAX_FRAMES = 40;
const MAX_FILES = 100; // whose names are known
const REFUSALS = new Set(['EAGAIN', 'ENOMEM', 'ENFILE', 'EMFILE', 'ENOSPC', 'EDQUOT']);
const MISSING = new Set(['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND']);
const FRAME = /^\s+at /;
const SAME = /^\s+\.\.\. \d+ lines matching cause stack trace \.\.\./; // which hidden frames may be part of
const LIBRARY = /\/node_modules\/((?:@[^/]+\/)?[^/:)]+)\/(?!.*\/node_modules\/)/;
const inspect = util.inspect;
const Pattern = RegExp; // as it was before the code could replace it

const cut = (text, limit) => (text.length <= limit ? text
  : `${text.slice(0, limit / 2)}\n... ${text.length - limit} characters left out ...\n${text.slice(-limit / 2)}`);

class Errors {
  constructor(rewriter, folder) {
    this.rewriter = rewriter;
    this.folder = folder;
    this.files = new Set(); // the names of files that were run
    this.name(['<cell \\d+>']);
    // The stack of every error, so that what the code prints of one is right, too.
    Error.prepareStackTrace = (error, sites) => this.prepared(error, sites);
  }

  // named has the code of a file called by its name.
  named(file) {
    this.files.delete(file);
    this.files.add(file);
    if (this.files.size > MAX_FILES) this.files.delete(this.files.values().next().value);
    const names = [...this.files].sort((a, b) => b.length - a.length);
    this.name(['<cell \\d+>', ...names.map((name) => name.replace(/[.*+?^${}()|[\]\\-]/g, '\\$&'))]);
    return file;
  }

  // name makes what finds the places of code in the lines of a stack.
  name(patterns) {
    const names = patterns.join('|');
    this.place = new Pattern(`(?<=^|[\\s(])(${names}|<eval>):(\\d+):(\\d+)`, 'g');
    this.user = new Pattern(`(?<=^|[\\s(])(${names}):(\\d+):(\\d+)`);
    this.waited = new Pattern(`\\bat async (?=(?:${names}):)`);
  }

  prepared(error, sites) {
    let head;
    try {
      head = Error.prototype.toString.call(error);
    } catch {
      head = 'Error';
    }
    const lines = [];
    for (const site of sites) {
      const line = this.placed(`    at ${site}`);
      if (line !== null && !this.ours(line)) lines.push(line);
    }
    return [head, ...lines].join('\n');
  }

  // ours says that a line of a stack is one of the kernel's.
  ours(line) { return line.includes(this.folder) || /node:praxis|\bScript\.runInThisContext \(node:vm/.test(line); }

  // describe returns name, value and traceback of what was thrown.
  describe(error) {
    if (!isError(error)) {
      const value = cut(inspect(error), MAX_VALUE);
      return { name: 'Uncaught', value, traceback: `Uncaught ${value}\n` };
    }
    const name = MISSING.has(text(() => error.code)) ? 'ModuleNotFound' : text(() => error.name) || text(() => error.constructor.name) || 'Error';
    const value = cut(text(() => error.message), MAX_VALUE);
    if (error.syntaxOf) return { name, value, traceback: error.syntaxOf };
    return { name, value, traceback: cut(this.traceback(error, name, value), MAX_TEXT) };
  }

  traceback(error, name, value) {
    let shown;
    try {
      shown = inspect(error, { depth: 3, maxStringLength: MAX_VALUE });
    } catch {
      shown = `${name}: ${value}`;
    }
    const lines = this.filter(shown.replace(/^\[([^\n]*)\]$/, '$1').split('\n')); // without a stack it stands in brackets
    const at = lines.findIndex((line) => FRAME.test(line));
    const first = this.user.exec(lines.slice(Math.max(at, 0)).find((line) => FRAME.test(line) && this.user.test(line)) ?? '');
    return `${first ? this.excerpt(first[1], Number(first[2]), Number(first[3])) : ''}${lines.join('\n')}\n`;
  }

  // excerpt shows a line of a cell with a mark below a column.
  excerpt(cell, line, column) {
    const source = this.rewriter.line(cell, line);
    if (source === undefined) return '';
    if (source.length > 200) return `${cell}:${line}\n\n`;
    return `${cell}:${line}\n${source}\n${source.slice(0, column - 1).replace(/[^\t]/g, ' ')}^\n\n`;
  }

  // filter leaves out what is hidden, and puts a line in the place of frames of a library in a row.
  filter(lines) {
    const out = [];
    let frames = 0;
    let folded = null; // the frames of a library that the last line of out stands for
    for (const line of lines) {
      if (!FRAME.test(line) && !SAME.test(line)) {
        frames = 0;
        out.push(line);
        continue;
      }
      if (SAME.test(line) || this.hidden(line)) {
        // Braces of what an error has beside its stack stand behind its last frame.
        if (line.endsWith(' {') && out.length) out[out.length - 1] += ' {';
        continue;
      }
      const library = LIBRARY.exec(line)?.[1];
      if (library && folded?.library === library && folded.at === out.length - 1) {
        folded.frames++;
        out[folded.at] = `    … ${folded.frames} frames in ${library}${folded.last}`;
        if (line.endsWith(' {')) out[folded.at] += ' {';
        continue;
      }
      if (++frames > MAX_FRAMES) continue;
      out.push(line);
      if (library) folded = { library, frames: 1, at: out.length - 1, last: `, the last is ${/^\s+at (?:async |new )?(\S+) \(/.exec(line)?.[1] ?? library}` };
    }
    return out;
  }

  hidden(line) {
    return /\(node:|at node:|at async node:|\(<anonymous>\)|\(native\)/.test(line) || this.ours(line);
  }

  // placed puts the place of the user's source into a line of a stack; null: it is in what
  // was put around the source.
  placed(line) {
    let inside = true;
    const out = line.replace(this.place, (all, cell, row, column) => {
      const place = this.rewriter.original(cell, Number(row), Number(column));
      inside &&= place !== null;
      return place ? `${cell}:${place[0]}:${place[1]}` : all;
    });
    return inside ? out.replace(this.waited, 'at ') : null;
  }

  // hint says what is there in the place of what an error missed.
  hint(error) { return isError(error) ? hintOf(error) : ''; }

  // refused says what the system refused, as far as an error and what led to it tell.
  refused(error) {
    const found = new Set();
    for (let e = error, n = 0; isError(e) && n < 100; e = e.cause, n++) {
      if (REFUSALS.has(e.code)) found.add(e.code);
      if (e instanceof RangeError && /Array buffer allocation failed|could not allocate memory/i.test(e.message)) found.add('ENOMEM');
      if (e.code === 'ERR_MEMORY_ALLOCATION_FAILED' || e.code === 'ERR_WORKER_OUT_OF_MEMORY') found.add('ENOMEM');
      if (e.code === 'ERR_WORKER_INIT_FAILED') found.add('thread');
    }
    return [...found];
  }
}

const isError = (e) => util.types.isNativeError(e) || e instanceof Error;

function text(get) {
  try {
    const value = get();
    return typeof value === 'string' ? value : value === undefined ? '' : String(value);
  } catch {
    return '';
  }
}

module.exports = { Errors };
