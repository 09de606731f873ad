// answer(value): what code gives as the answer of a run, as the host reads it; see
// answers.py of the language Python, which makes the same.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const MIME = 'application/vnd.praxis.answer+json';
const SAVED = 'application/vnd.praxis.file';
const MAX_BYTES = 1 << 20; // of an answer
const PICTURES = [['image/png', '.png'], ['image/jpeg', '.jpg'], ['image/svg+xml', '.svg']];

class Answers {
  constructor(show, folder) {
    // answer gives the final answer: a text, a number, data, a picture, or several of them.
    this.answer = (...values) => {
      if (!values.length) throw new TypeError('answer() takes the value to answer with: a text, a number, an object, an array, a picture');
      const parts = values.map((value) => this.part(show, folder, value));
      if (parts.filter((part) => 'value' in part).length > 1) {
        throw new TypeError('answer() takes one number, object or array beside texts and pictures; put several into one object');
      }
      const json = JSON.stringify({ parts });
      if (Buffer.byteLength(json) > MAX_BYTES) {
        throw new RangeError(`cannot answer with ${json.length} characters: ${MAX_BYTES} bytes are the bound. Write what is larger to a file, and answer with what matters of it.`);
      }
      const text = parts.map((part, i) => part.text ?? part.picture ?? show.text(values[i])).join('\n\n');
      show.send({ text, [MIME]: json });
    };
    Object.defineProperty(this.answer, 'name', { value: 'answer' });
  }

  part(show, folder, value) {
    if (value === undefined || value === null) throw new TypeError(`cannot answer with ${value}: give the value itself`);
    if (typeof value === 'string') return { text: value };
    if (typeof value === 'object' && !Array.isArray(value)) {
      const bundle = show.bundle(value);
      const found = PICTURES.find(([mime]) => mime in bundle);
      if (found) {
        const [mime, ending] = found;
        const picture = write(folder, ending, Buffer.from(bundle[mime], mime === 'image/svg+xml' ? 'utf8' : 'base64'));
        show.send(picture ? { ...bundle, [SAVED]: picture } : bundle);
        return { picture };
      }
    }
    return { value: plain(value, 0) };
  }
}

// plain returns a value as JSON has it.
function plain(value, depth) {
  if (depth > 50) throw new RangeError('cannot answer with data that is more than 50 levels deep');
  if (value === undefined || value === null || typeof value === 'boolean' || typeof value === 'string') return value ?? null;
  if (typeof value === 'number') {
    if (Number.isNaN(value) && depth > 0) return null;
    if (!Number.isFinite(value)) throw new RangeError(`cannot answer with ${value}: JSON has no such number`);
    return value;
  }
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value !== 'object') throw new TypeError(`cannot answer with a ${typeof value}: give a text, a number, an object, an array or a picture`);
  if (typeof value.toJSON === 'function') return plain(value.toJSON(), depth + 1);
  if (value instanceof Map) {
    const named = Object.fromEntries(value);
    if (Object.keys(named).length < value.size) throw new TypeError("cannot answer with a Map that has two keys of one text, such as 1 and '1'");
    value = named;
  }
  if (value instanceof Set || ArrayBuffer.isView(value)) value = Array.from(value);
  if (Array.isArray(value)) return value.map((item) => plain(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item, depth + 1)]));
}

// write puts a file of an answer under a name that is free; '': it cannot be written.
function write(folder, ending, data) {
  for (let n = 1; n < 1000; n++) {
    const file = path.join(folder, `answer${n === 1 ? '' : `-${n}`}${ending}`);
    try {
      fs.writeFileSync(file, data, { flag: 'wx' });
      return file;
    } catch (error) {
      if (error.code !== 'EEXIST') break;
    }
  }
  return '';
}

module.exports = { Answers };
