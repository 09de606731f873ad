// A reader of Arrow IPC streams, of the flat types that docs/sharing.md lists.
//
// What it reads may be anything. So every number of the stream is checked against the
// bytes that are there (a DataView refuses what lies outside of it), and what is made of
// them is counted: a stream of few bytes can speak of any number of rows.
'use strict';

const MAX_CELLS = 1 << 25;
const MAX_FREE = 1 << 20; // rows that take no bytes
const MAX_DECODED = 512 << 20; // bytes of texts and bytes
const MAX_COLUMNS = 100_000;
const MAX_NAME = 64 << 10;
const CONTINUES = 0xffffffff;
const SCHEMA = 1, DICTIONARY = 2, BATCH = 3;
const VERSIONS = new Set([3, 4]); // V4 and V5: the others are of before 2017
const NAMES = ['none', 'null', 'int', 'float', 'binary', 'utf8', 'bool', 'decimal', 'date', 'time', 'timestamp', 'interval', 'list', 'struct', 'union',
  'fixed binary', 'fixed list', 'map', 'duration', 'large binary', 'large utf8', 'large list', 'run end', 'binary view', 'utf8 view', 'list view', 'large list view'];
const UNITS = [1n, 1_000n, 1_000_000n, 1_000_000_000n]; // parts of a second
const DAY = 86_400_000;

// Unreadable is an error that says what of a stream cannot be read.
class Unreadable extends Error {}

const refuse = (text) => { throw new Unreadable(text); };

// small returns a number of 64 bits that must be a size.
function small(n, what) {
  if (n < 0n || n > BigInt(Number.MAX_SAFE_INTEGER)) refuse(`${what} is damaged`);
  return Number(n);
}

// Table is a table of a flatbuffer: fields by their number.
class Table {
  constructor(view, at) {
    this.view = view;
    this.at = at;
    this.shape = at - view.getInt32(at, true);
    this.size = view.getUint16(this.shape, true);
  }

  // place returns where a field stands; 0: it is left out.
  place(field) {
    const slot = 4 + 2 * field;
    if (slot + 2 > this.size) return 0;
    const offset = this.view.getUint16(this.shape + slot, true);
    return offset && this.at + offset;
  }

  number(field, width, otherwise) {
    const at = this.place(field);
    if (!at) return otherwise;
    if (width === 1) return this.view.getUint8(at);
    if (width === 2) return this.view.getInt16(at, true);
    return width === 4 ? this.view.getInt32(at, true) : this.view.getBigInt64(at, true);
  }

  target(field) {
    const at = this.place(field);
    return at && at + this.view.getUint32(at, true);
  }

  table(field) {
    const at = this.target(field);
    return at ? new Table(this.view, at) : null;
  }

  // vector returns where the items of a list begin and how many there are.
  vector(field, width) {
    const at = this.target(field);
    if (!at) return { begin: 0, length: 0 };
    const length = this.view.getUint32(at, true);
    if (at + 4 + length * width > this.view.byteLength) refuse('it is damaged');
    return { begin: at + 4, length };
  }

  tables(field) {
    const { begin, length } = this.vector(field, 4);
    if (length > MAX_COLUMNS) refuse(`it has more than ${MAX_COLUMNS} columns`);
    const out = [];
    for (let i = 0, at = begin; i < length; i++, at += 4) out.push(new Table(this.view, at + this.view.getUint32(at, true)));
    return out;
  }

  text(field) {
    const { begin, length } = this.vector(field, 1);
    if (length > MAX_NAME) refuse('a name in it is too long');
    return utf8(this.view, begin, length);
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function utf8(view, at, length) {
  try {
    return decoder.decode(new Uint8Array(view.buffer, view.byteOffset + at, length));
  } catch {
    return refuse('a text in it is not UTF-8');
  }
}

// Reader reads one stream.
class Reader {
  constructor(bytes) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
    this.fields = null;
    this.columns = [];
    this.dictionaries = new Map(); // id → {field, values}
    this.rows = 0;
    this.cells = 0;
    this.decoded = 0;
  }

  all() {
    for (let message; (message = this.message());) {
      if (!this.fields && message.kind !== SCHEMA) refuse('it does not begin with a schema');
      if (message.kind === SCHEMA) this.schema(message.header);
      else if (message.kind === DICTIONARY) this.dictionary(message);
      else if (message.kind === BATCH) this.batch(message);
      else refuse('it has a message that is no part of a table');
    }
    if (!this.fields) refuse('it has no schema');
    return { columns: this.fields.map((f) => ({ name: f.name, type: f.type.word, zone: f.type.zone })), values: this.columns, rows: this.rows };
  }

  // message returns the next message, or null at the end.
  message() {
    if (this.at === this.view.byteLength) return null;
    if (this.view.getUint32(this.at, true) !== CONTINUES) refuse('it is no Arrow stream, or one of before version 0.15');
    const length = this.view.getInt32(this.at + 4, true);
    this.at += 8;
    if (length === 0) return null;
    if (length < 0 || this.at + length > this.view.byteLength) refuse('it is cut off');
    const head = new DataView(this.view.buffer, this.view.byteOffset + this.at, length);
    const table = new Table(head, head.getUint32(0, true));
    if (!VERSIONS.has(table.number(0, 2, 0))) refuse('it is of another version of the format');
    const body = this.at + length;
    const size = small(table.number(3, 8, 0n), 'a size in it');
    if (body + size > this.view.byteLength) refuse('it is cut off');
    this.at = body + size;
    const header = table.table(2) ?? refuse('it is damaged');
    return { kind: table.number(1, 1, 0), header, body: new DataView(this.view.buffer, this.view.byteOffset + body, size) };
  }

  schema(header) {
    if (this.fields) refuse('it has two schemas');
    if (header.number(0, 2, 0) !== 0) refuse('it is big-endian');
    this.fields = header.tables(1).map((f) => this.field(f));
    this.columns = this.fields.map(() => []);
  }

  field(table) {
    const field = { name: table.text(0), type: null, id: null, index: null };
    this.spend(0, field.name.length);
    field.type = typeOf(field.name, table.number(2, 1, 0), table.table(3));
    const encoded = table.table(4);
    if (encoded) {
      field.id = encoded.number(0, 8, 0n);
      const index = encoded.table(1);
      field.index = index ? typeOf(field.name, 2, index) : { kind: 2, width: 32, signed: true, word: 'int64' };
      if (!this.dictionaries.has(field.id)) this.dictionaries.set(field.id, { type: field.type, values: null });
    }
    return field;
  }

  // spend counts what is made of the stream.
  spend(cells, bytes) {
    this.cells += cells;
    this.decoded += bytes;
    if (this.cells > MAX_CELLS) refuse(`it has more than ${MAX_CELLS.toLocaleString('en')} values`);
    if (this.decoded > MAX_DECODED) refuse('its texts are too large');
  }

  dictionary({ header, body }) {
    const known = this.dictionaries.get(header.number(0, 8, 0n)) ?? refuse('it has a dictionary that no column uses');
    const part = new Part(this, header.table(1) ?? refuse('it is damaged'), body);
    const values = part.column(known.type);
    part.end();
    known.values = header.number(2, 1, 0) && known.values ? known.values.concat(values) : values;
  }

  batch({ header, body }) {
    const part = new Part(this, header, body);
    this.spend(this.fields.length ? 0 : part.rows, 0);
    this.fields.forEach((field, i) => {
      let values = part.column(field.index ?? field.type);
      if (field.index) {
        const { values: words } = this.dictionaries.get(field.id);
        values = values.map((at) => (at === null ? null : words?.[at] !== undefined ? words[at] : refuse(`the column ${field.name} has a value that its dictionary lacks`)));
      }
      const column = this.columns[i];
      for (const value of values) column.push(value);
    });
    part.end();
    this.rows += part.rows;
  }
}

// Part is a record batch: the buffers of its columns, one after the other.
class Part {
  constructor(reader, header, body) {
    this.reader = reader;
    this.body = body;
    this.rows = small(header.number(0, 8, 0n), 'the number of rows');
    if (this.rows > Math.max(MAX_FREE, 8 * body.byteLength)) refuse('it has more rows than bytes could hold');
    if (header.place(3)) refuse('it is compressed');
    const view = header.view;
    const nodes = header.vector(1, 16), buffers = header.vector(2, 16), views = header.vector(4, 8);
    if (Math.max(nodes.length, buffers.length / 4, views.length) > MAX_COLUMNS) refuse('it has too many parts');
    this.nodes = Array.from({ length: nodes.length }, (_, i) => ({
      rows: small(view.getBigInt64(nodes.begin + 16 * i, true), 'the number of rows'),
      missing: small(view.getBigInt64(nodes.begin + 16 * i + 8, true), 'the number of missing values'),
    }));
    this.buffers = Array.from({ length: buffers.length }, (_, i) => {
      const at = small(view.getBigInt64(buffers.begin + 16 * i, true), 'a size in it');
      const size = small(view.getBigInt64(buffers.begin + 16 * i + 8, true), 'a size in it');
      if (at + size > body.byteLength) refuse('it is cut off');
      return new DataView(body.buffer, body.byteOffset + at, size);
    });
    this.views = Array.from({ length: views.length }, (_, i) => small(view.getBigInt64(views.begin + 8 * i, true), 'a size in it'));
    this.node = this.buffer = this.viewed = 0;
  }

  take() { return this.buffers[this.buffer++] ?? refuse('it is damaged: a column has too few parts'); }

  end() {
    if (this.node !== this.nodes.length || this.buffer !== this.buffers.length) refuse('it is damaged: a column has too many parts');
  }

  // column returns the values of the next column.
  column(type) {
    const node = this.nodes[this.node++] ?? refuse('it is damaged: a column is missing');
    if (node.rows !== this.rows) refuse('it is damaged: its columns differ in length');
    this.reader.spend(this.rows, 0);
    if (type.kind === 1) return new Array(this.rows).fill(null);
    const valid = this.take();
    const read = this.readerOf(type);
    const out = [];
    const whole = node.missing === 0 || valid.byteLength === 0;
    if (!whole && valid.byteLength * 8 < this.rows) refuse('it is cut off');
    for (let i = 0; i < this.rows; i++) out.push(whole || (valid.getUint8(i >> 3) >> (i & 7)) & 1 ? read(i) : null);
    return out;
  }

  // readerOf takes the buffers of a column and returns what reads a value.
  readerOf(type) {
    switch (type.kind) {
      case 4: case 5: return this.variable(type, 4);
      case 19: case 20: return this.variable(type, 8);
      case 23: case 24: return this.seen(type);
    }
    const data = this.take();
    switch (type.kind) {
      case 6: return (i) => ((data.getUint8(i >> 3) >> (i & 7)) & 1) === 1;
      case 15: return (i) => this.bytes(data, i * type.width, type.width);
      default: {
        const read = fixed(type);
        return (i) => read(data, i);
      }
    }
  }

  bytes(view, at, size) {
    if (at < 0 || size < 0 || at + size > view.byteLength) refuse('it is cut off');
    this.reader.spend(0, size);
    return Buffer.from(new Uint8Array(view.buffer, view.byteOffset + at, size));
  }

  text(view, at, size) {
    if (at < 0 || size < 0 || at + size > view.byteLength) refuse('it is cut off');
    this.reader.spend(0, size);
    return utf8(view, at, size);
  }

  // variable reads values between offsets of 4 or 8 bytes.
  variable(type, width) {
    const offsets = this.take(), data = this.take();
    const offset = width === 4 ? (i) => offsets.getInt32(4 * i, true) : (i) => small(offsets.getBigInt64(8 * i, true), 'a size in it');
    const read = type.word === 'string' ? this.text : this.bytes;
    return (i) => {
      const at = offset(i);
      return read.call(this, data, at, offset(i + 1) - at);
    };
  }

  // seen reads views: a length and the value, or where it stands.
  seen(type) {
    const views = this.take();
    const count = this.views[this.viewed++] ?? refuse('it is damaged');
    if (count > this.buffers.length) refuse('it is damaged');
    const datas = Array.from({ length: count }, () => this.take());
    const read = type.word === 'string' ? this.text : this.bytes;
    return (i) => {
      const size = views.getInt32(16 * i, true);
      if (size <= 12) return read.call(this, views, 16 * i + 4, size);
      const data = datas[views.getInt32(16 * i + 8, true)] ?? refuse('it is damaged');
      return read.call(this, data, views.getInt32(16 * i + 12, true), size);
    };
  }
}

// typeOf returns a type of the format as one of docs/sharing.md, or refuses it.
function typeOf(name, kind, table) {
  const other = () => refuse(`the column ${name} is of the type ${NAMES[kind] ?? kind}, which is not one that languages share`);
  if (kind !== 1 && !table) return other();
  const one = (word, rest) => ({ kind, word, ...rest });
  switch (kind) {
    case 1: return one('string');
    case 2: {
      const width = table.number(0, 4, 0);
      return [8, 16, 32, 64].includes(width) ? one('int64', { width, signed: table.number(1, 1, 0) !== 0 }) : other();
    }
    case 3: {
      const width = [16, 32, 64][table.number(0, 2, 0)];
      return width ? one('float64', { width }) : other();
    }
    case 4: case 19: case 23: return one('bytes');
    case 5: case 20: case 24: return one('string');
    case 6: return one('bool');
    case 7: {
      const width = table.number(2, 4, 128), scale = table.number(1, 4, 0);
      return [32, 64, 128, 256].includes(width) && Math.abs(scale) <= 100 ? one('decimal', { width, scale }) : other();
    }
    case 8: {
      const unit = table.number(0, 2, 1);
      return unit === 0 || unit === 1 ? one('date', { unit }) : other();
    }
    case 9: {
      const unit = table.number(0, 2, 1), width = table.number(1, 4, 32);
      return unit in UNITS && width === (unit < 2 ? 32 : 64) ? one('time', { unit, width }) : other();
    }
    case 10: {
      const unit = table.number(0, 2, 0);
      return unit in UNITS ? one('timestamp', { unit, zone: table.vector(1, 1).length > 0 }) : other();
    }
    case 15: {
      const width = table.number(0, 4, 0);
      return width >= 0 ? one('bytes', { width }) : other();
    }
    default: return other();
  }
}

// fixed returns what reads the values of a type whose values have one size.
function fixed(type) {
  switch (type.kind) {
    case 2: return integer(type);
    case 3:
      if (type.width === 64) return (data, i) => data.getFloat64(8 * i, true);
      return type.width === 32 ? (data, i) => data.getFloat32(4 * i, true) : (data, i) => half(data.getUint16(2 * i, true));
    case 7: return (data, i) => decimal(wide(data, i, type.width), type.scale);
    case 8: return type.unit === 0 ? (data, i) => date(data.getInt32(4 * i, true) * DAY) : (data, i) => date(Number(data.getBigInt64(8 * i, true)));
    case 9: return type.width === 32 ? (data, i) => time(BigInt(data.getInt32(4 * i, true)), UNITS[type.unit]) : (data, i) => time(data.getBigInt64(8 * i, true), UNITS[type.unit]);
    default: return (data, i) => moment(data.getBigInt64(8 * i, true), UNITS[type.unit]);
  }
}

function integer({ width, signed }) {
  switch (width) {
    case 8: return signed ? (data, i) => data.getInt8(i) : (data, i) => data.getUint8(i);
    case 16: return signed ? (data, i) => data.getInt16(2 * i, true) : (data, i) => data.getUint16(2 * i, true);
    case 32: return signed ? (data, i) => data.getInt32(4 * i, true) : (data, i) => data.getUint32(4 * i, true);
    default: return signed ? (data, i) => exact(data.getBigInt64(8 * i, true)) : (data, i) => exact(data.getBigUint64(8 * i, true));
  }
}

// exact returns an integer as a number, unless that would round it.
function exact(n) {
  const number = Number(n);
  return Number.isSafeInteger(number) ? number : n;
}

function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}

function wide(data, i, width) {
  if (width === 32) return BigInt(data.getInt32(4 * i, true));
  const words = width / 64;
  let n = data.getBigInt64(8 * (i * words + words - 1), true);
  for (let w = words - 2; w >= 0; w--) n = (n << 64n) | data.getBigUint64(8 * (i * words + w), true);
  return n;
}

function decimal(n, scale) {
  const sign = n < 0n ? '-' : '';
  const digits = String(n < 0n ? -n : n);
  if (scale <= 0) return sign + digits + (n === 0n ? '' : '0'.repeat(-scale));
  const all = digits.padStart(scale + 1, '0');
  return `${sign}${all.slice(0, -scale)}.${all.slice(-scale)}`;
}

function date(milliseconds) {
  const day = new Date(milliseconds);
  return Number.isNaN(day.getTime()) ? refuse('a date in it is out of range') : day.toISOString().slice(0, -14);
}

function time(n, unit) {
  const seconds = Number(n / unit), rest = n % unit;
  if (n < 0n || seconds >= 86_400) refuse('a time in it is out of range');
  const two = (v) => String(v).padStart(2, '0');
  const fraction = rest ? `.${String(rest).padStart(String(unit).length - 1, '0')}` : '';
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${fraction}`;
}

// moment rounds towards the past, as a Date does with what is smaller than it knows.
function moment(n, unit) {
  let scaled = unit <= 1000n ? n * (1000n / unit) : n / (unit / 1000n);
  if (unit > 1000n && n < 0n && n % (unit / 1000n) !== 0n) scaled--;
  const at = new Date(Number(scaled));
  return Number.isNaN(at.getTime()) ? refuse('a timestamp in it is out of range') : at;
}

// decode returns the columns of a stream, the values of each and the number of rows.
function decode(bytes) {
  try {
    return new Reader(bytes).all();
  } catch (error) {
    if (error instanceof RangeError) return refuse('it is damaged'); // a place outside of the stream
    throw error;
  }
}

module.exports = { decode, Unreadable };
