// Values as bundles of MIME types. Every item is bounded, and is a string.
'use strict';

const util = require('node:util');

const MAX_ITEM = 8 << 20;
const MAX_BUNDLE = 24 << 20;
const MAX_KINDS = 16;
const MAX_JSON = 1 << 20;
const MAX_NODES = 20_000; // of a value that is shown as JSON, too
const BINARY = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf']);
const MIME = /^[a-z]+\/[a-z0-9.+-]+$/i;
const { inspect, types: { isProxy } } = util;
const stringify = JSON.stringify;

// By which methods objects say how they are shown: what Deno and the kernels of
// notebooks agreed upon.
const WHOLE = [Symbol.for('Jupyter.display'), '_repr_mimebundle_', '_toMime'];
const METHODS = [
  ['text/html', ['_repr_html_', '_toHtml']],
  ['text/markdown', ['_repr_markdown_', '_toMarkdown']],
  ['text/latex', ['_repr_latex_', '_toLatex']],
  ['image/svg+xml', ['_repr_svg_', '_toSvg']],
  ['image/png', ['_repr_png_', '_toPng']],
  ['image/jpeg', ['_repr_jpeg_', '_toJpeg']],
  ['application/json', ['_repr_json_', '_toJson']],
];
const MAGIC = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
];

class Show {
  constructor(send, columns) {
    this.send = send;
    this.columns = columns;
    // display shows values as richly as they can be, or bundles from MIME type to data.
    this.display = (...values) => {
      for (const value of values) this.send(isBundle(value) ? this.given(value) : this.bundle(value));
    };
    Object.defineProperty(this.display, 'name', { value: 'display' });
  }

  text(value) {
    const text = inspect(value, { breakLength: this.columns(), maxArrayLength: 200, maxStringLength: MAX_ITEM });
    return text.length > MAX_ITEM ? `${text.slice(0, MAX_ITEM)}…` : text;
  }

  // bundle returns the bundle of a value.
  bundle(value) {
    const bundle = {}, notes = [];
    if (value !== null && (typeof value === 'object' || typeof value === 'function')) this.collect(value, bundle, notes);
    let text = bundle['text/plain'];
    delete bundle['text/plain'];
    if (text === undefined) text = isBytes(value) && Object.keys(bundle).length ? `<${value.constructor.name} of ${value.length} bytes>` : this.text(value);
    return { text: [text, ...notes.map((n) => `[${n}]`)].join('\n'), ...bundle };
  }

  given(value) {
    const bundle = {}, notes = [];
    for (const [mime, item] of Object.entries(value).slice(0, MAX_KINDS)) this.add(bundle, notes, mime, () => item);
    const text = bundle['text/plain'] ?? '';
    delete bundle['text/plain'];
    return { text: [text, ...notes.map((n) => `[${n}]`)].join('\n').trim(), ...bundle };
  }

  collect(value, bundle, notes) {
    if (isProxy(value)) return;
    if (isBytes(value)) {
      for (const [mime, begins] of MAGIC) {
        if (begins.every((byte, i) => value[i] === byte)) this.add(bundle, notes, mime, () => value);
      }
      return;
    }
    for (const name of WHOLE) {
      const method = methodOf(value, name);
      if (!method) continue;
      let all;
      try {
        all = method.call(value);
      } catch (error) {
        notes.push(`${String(name)} threw ${String(error?.name ?? 'an error')}`);
      }
      for (const [mime, item] of Object.entries(Object(all)).slice(0, MAX_KINDS)) if (MIME.test(mime)) this.add(bundle, notes, mime, () => item);
    }
    for (const [mime, names] of METHODS) {
      const method = names.map((name) => methodOf(value, name)).find(Boolean);
      if (method && !(mime in bundle)) this.add(bundle, notes, mime, () => method.call(value));
    }
    if (!Object.keys(bundle).length) this.element(value, bundle, notes);
    if (!Object.keys(bundle).length && isPlain(value)) this.add(bundle, notes, 'application/json', () => json(value));
  }

  // element takes the source of an element of a document, as libraries of charts make them.
  element(value, bundle, notes) {
    let source, name;
    try {
      [source, name] = [value.outerHTML, value.nodeName];
    } catch {
      return;
    }
    if (typeof source !== 'string' || typeof name !== 'string') return;
    this.add(bundle, notes, name.toLowerCase() === 'svg' ? 'image/svg+xml' : 'text/html', () => source);
  }

  add(bundle, notes, mime, make) {
    try {
      let item = make();
      if (item === undefined || item === null) return;
      if (isBytes(item)) item = Buffer.from(item.buffer, item.byteOffset, item.byteLength).toString(BINARY.has(mime) ? 'base64' : 'utf8');
      else if (typeof item !== 'string') item = stringify(item);
      else if (BINARY.has(mime)) item = item.replace(/\s+/g, '');
      const size = Buffer.byteLength(item);
      if (size > MAX_ITEM || Object.values(bundle).reduce((n, s) => n + s.length, size) > MAX_BUNDLE) throw new RangeError(`${size} bytes are too many`);
      bundle[mime] = item;
    } catch (error) {
      notes.push(`${mime} left out: ${String(error?.message ?? error).slice(0, 200)}`);
    }
  }
}

function methodOf(value, name) {
  try {
    return typeof value[name] === 'function' && typeof value !== 'function' ? value[name] : null;
  } catch {
    return null;
  }
}

const isBytes = (value) => value instanceof Uint8Array;

// isBundle tells a bundle from a value: every key is a MIME type.
function isBundle(value) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.length <= MAX_KINDS && keys.every((key) => MIME.test(key));
}

// isPlain says that JSON holds all of a value: nothing but lists, objects without a
// class, texts, finite numbers, truths and null.
function isPlain(value) {
  let nodes = 0;
  const seen = new Set();
  const plain = (v) => {
    if (++nodes > MAX_NODES) return false;
    if (v === null || typeof v === 'string' || typeof v === 'boolean') return true;
    if (typeof v === 'number') return Number.isFinite(v);
    if (typeof v !== 'object' || seen.has(v) || typeof v.toJSON === 'function') return false;
    seen.add(v);
    const fine = Array.isArray(v)
      ? v.every(plain)
      : [Object.prototype, null].includes(Object.getPrototypeOf(v)) && Object.getOwnPropertySymbols(v).length === 0 &&
        Object.values(Object.getOwnPropertyDescriptors(v)).every((d) => 'value' in d && plain(d.value));
    seen.delete(v);
    return fine;
  };
  try {
    return plain(value);
  } catch {
    return false;
  }
}

function json(value) {
  const text = stringify(value);
  return text.length <= MAX_JSON ? text : undefined;
}

module.exports = { Show };
