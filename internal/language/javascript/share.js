// Values that the languages of a session share: praxis.share, praxis.shared, praxis.names.
// The layout is docs/sharing.md, which praxis.py of the language Python keeps to as well.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const util = require('node:util');
const arrow = require('./arrow.js');

const MAX_BYTES = 256 << 20; // of a value
const MAX_NAMES = 1000;
const MAX_HEAD = 4 << 20; // bytes of the first line
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const INTEGER = /^-?[0-9]{1,400}$/;
const MOMENT = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|([+-])(\d\d):?(\d\d)(?::?(\d\d))?)?$/;
const LARGE = /[0-9]{16}/; // what JSON has such a number in is read digit by digit
const PLACES = { NaN, Infinity, '-Infinity': -Infinity };
const { isDate, isMap, isSet, isPromise, isTypedArray, isProxy } = util.types;
const folder = process.env.PRAXIS_SHARED || '/tmp/.praxis-shared';

// share puts a value under a name: a table (a list of plain objects, or {columns, rows}),
// or what JSON can hold. With {table: false} a list of objects is JSON.
function share(name, value, options) {
  check(name);
  const head = { praxis: 1, from: 'javascript' };
  const table = options?.table === false ? null : tableOf(value);
  let lines;
  if (table) {
    const types = table.columns.map((column, i) => column.type ?? typeOf(table.rows, i));
    lines = linesOf(name, table, types);
    Object.assign(head, { kind: 'table', encoding: 'rows', columns: table.columns.map((c, i) => ({ name: c.name, type: types[i] })), rows: table.rows.length });
  } else {
    head.kind = 'json';
    lines = [json(value) ?? fail(TypeError, `cannot share ${name}: ${typeof value} is nothing that JSON can hold`)];
  }
  const first = JSON.stringify(head);
  const body = Buffer.from(lines.join('\n'), 'utf8');
  if (Buffer.byteLength(first) >= MAX_HEAD) fail(RangeError, `cannot share ${name}: the names of its columns are too long`);
  bounded(name, body.length);
  write(name, Buffer.concat([Buffer.from(`${first}\n`, 'utf8'), body]));
}

// shared returns what stands under a name: a table as a list of objects, whose property
// columns says the names and the types.
function shared(name) {
  check(name);
  const { head, body } = read(name);
  try {
    if (head.kind === 'json') return parse(text(body));
    return head.encoding === 'arrow' ? ofArrow(arrow.decode(body)) : ofRows(head, body);
  } catch (error) {
    const hint = error instanceof arrow.Unreadable ? '; Python\'s praxis.share(name, value, arrow=False) writes a table that every language reads' : '';
    throw new Error(`cannot read the shared value ${name}: ${error.message}${hint}`);
  }
}

// names lists what is shared, sorted.
function names() {
  try {
    return fs.readdirSync(folder).filter((name) => NAME.test(name)).sort();
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

// unshare takes a value back.
function unshare(name) {
  check(name);
  try {
    fs.unlinkSync(path.join(folder, name));
  } catch (error) {
    throw error.code === 'ENOENT' ? new Error(`nothing is shared as ${name}`) : error;
  }
}

function fail(Kind, message) { throw new Kind(message); }

// Files.

function check(name) {
  if (typeof name !== 'string' || !NAME.test(name)) {
    fail(TypeError, `${util.inspect(name)} cannot name a shared value: a name has letters, digits and _, 64 at most, and begins with no digit`);
  }
}

function bounded(name, size) {
  if (size > MAX_BYTES) fail(RangeError, `cannot share ${name}: it takes more than ${MAX_BYTES.toLocaleString('en')} bytes`);
}

// write makes a file whole, and only then gives it its name. What an interrupt leaves
// behind has the name of the next one.
function write(name, data) {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const there = names();
  if (!there.includes(name) && there.length >= MAX_NAMES) {
    fail(RangeError, `cannot share ${name}: ${MAX_NAMES.toLocaleString('en')} values are shared; praxis.unshare(name) takes one back`);
  }
  const made = path.join(folder, `.javascript-${process.pid}`);
  fs.rmSync(made, { force: true });
  try {
    fs.writeFileSync(made, data, { flag: 'wx', mode: 0o600 });
    fs.renameSync(made, path.join(folder, name));
  } catch (error) {
    fs.rmSync(made, { force: true });
    throw error;
  }
}

function read(name) {
  let data;
  try {
    data = contents(path.join(folder, name));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    throw new Error(`nothing is shared as ${name}; there is ${names().slice(0, 20).join(', ') || 'nothing'}`);
  }
  try {
    const end = data.subarray(0, MAX_HEAD).indexOf(10);
    const head = end < 0 ? null : JSON.parse(text(data.subarray(0, end)));
    const known = head?.praxis === 1 && (head.kind === 'json' || head.kind === 'table' && ['arrow', 'rows'].includes(head.encoding));
    if (!known) fail(Error, 'it is of another version');
    return { head, body: data.subarray(end + 1) };
  } catch (error) {
    throw new Error(`cannot read the shared value ${name}: ${error.message}`);
  }
}

// contents reads a file that must be one: anything may lie there under the name.
function contents(file) {
  const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    const state = fs.fstatSync(fd);
    if (!state.isFile()) fail(Error, `${file} is no file`);
    if (state.size > MAX_HEAD + 1 + MAX_BYTES) fail(RangeError, `${file} has more than ${MAX_BYTES.toLocaleString('en')} bytes`);
    return fs.readFileSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function text(bytes) { return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes); }

// JSON.

// json writes a value, integers of any size with all their digits. What JSON would change
// without a word is refused.
function json(value) {
  return JSON.stringify(value, (key, v) => {
    if (typeof v === 'bigint') return JSON.rawJSON(String(v));
    if (typeof v === 'number' && !Number.isFinite(v)) fail(TypeError, `JSON has no number ${v}`);
    if (typeof v === 'function' || typeof v === 'symbol') fail(TypeError, `JSON can hold no ${typeof v}`);
    if (isMap(v) || isSet(v) || isPromise(v) || isTypedArray(v)) fail(TypeError, `JSON can hold no ${isMap(v) ? 'Map: give Object.fromEntries of it' : Object.prototype.toString.call(v).slice(8, -1)}`);
    return v;
  });
}

// parse reads a value. An integer that a number would round is a BigInt.
function parse(source) {
  if (!LARGE.test(source)) return JSON.parse(source);
  return JSON.parse(source, (key, v, context) => (typeof v === 'number' && !Number.isSafeInteger(v) && INTEGER.test(context?.source ?? '') ? BigInt(context.source) : v));
}

// Tables.

function isPlain(value) {
  if (value === null || typeof value !== 'object' || isProxy(value) || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

// tableOf returns the columns and the rows (lists of values) of a table; null: it is none.
function tableOf(value) {
  if (isPlain(value) && Array.isArray(value.columns) && Array.isArray(value.rows)) {
    const columns = value.columns.map(columnOf);
    return { columns, rows: value.rows.map((row, i) => cellsOf(row, columns, i)) };
  }
  if (!Array.isArray(value)) return null;
  const given = Object.getOwnPropertyDescriptor(value, 'columns')?.value;
  if (Array.isArray(given) && value.every(isPlain)) {
    const columns = given.map(columnOf);
    const known = new Set(columns.map((c) => c.name));
    if (value.every((row) => Object.keys(row).every((key) => known.has(key)))) return { columns, rows: value.map((row, i) => cellsOf(row, columns, i)) };
  }
  if (value.length === 0 || !value.every(isPlain)) return null;
  const keys = new Set();
  for (const row of value) for (const key of Object.keys(row)) keys.add(key);
  const columns = [...keys].map((name) => ({ name }));
  bounded('the table', columns.length * value.length * 2); // a cell has two bytes at least
  return { columns, rows: value.map((row, i) => cellsOf(row, columns, i)) };
}

function columnOf(column) {
  const name = typeof column === 'string' ? column : column?.name;
  if (typeof name !== 'string') fail(TypeError, 'a column is a text, or {name, type}');
  const type = column.type;
  if (type !== undefined && !Object.hasOwn(TYPES, type)) fail(TypeError, `the column ${name} has no type ${util.inspect(type)}: there are ${Object.keys(TYPES).join(', ')}`);
  return { name, type, zone: column.zone };
}

function cellsOf(row, columns, at) {
  if (!Array.isArray(row)) {
    if (!isPlain(row)) fail(TypeError, `row ${at} is neither a list nor an object`);
    return columns.map((c) => (Object.hasOwn(row, c.name) ? row[c.name] : null));
  }
  if (row.length !== columns.length) fail(TypeError, `row ${at} has ${row.length} values, and there are ${columns.length} columns`);
  return row;
}

// kindOf returns the type of a value.
function kindOf(value) {
  switch (typeof value) {
    case 'boolean': return 'bool';
    case 'bigint': return BigInt.asIntN(64, value) === value ? 'int64' : 'decimal';
    case 'number': return Number.isSafeInteger(value) && !Object.is(value, -0) ? 'int64' : 'float64';
    case 'string': return 'string';
  }
  if (isDate(value)) return 'timestamp';
  return value instanceof Uint8Array ? 'bytes' : 'json';
}

// typeOf returns the type of a column.
function typeOf(rows, at) {
  const kinds = new Set();
  let large = false;
  for (const row of rows) {
    const value = row[at];
    if (value === null || value === undefined) continue;
    kinds.add(kindOf(value));
    large ||= typeof value === 'bigint';
  }
  const only = (...types) => [...kinds].every((k) => types.includes(k));
  if (kinds.size === 0) return 'string';
  if (kinds.size === 1) return [...kinds][0];
  if (!large && only('int64', 'float64')) return 'float64';
  return only('int64', 'decimal') ? 'decimal' : 'json';
}

// TYPES are what writes and what reads a value of a type.
const TYPES = {
  bool: { write: (v) => (typeof v === 'boolean' ? v : fail(TypeError, 'it is not a boolean')), read: (v) => (typeof v === 'boolean' ? v : fail(TypeError, 'it is no boolean')) },
  int64: { write: wholeNumber, read: readInteger },
  float64: { write: realNumber, read: (v) => (typeof v === 'number' ? v : Object.hasOwn(PLACES, v) ? PLACES[v] : fail(TypeError, 'it is no number')) },
  string: { write: asText, read: readText },
  bytes: { write: (v) => (v instanceof Uint8Array ? Buffer.from(v.buffer, v.byteOffset, v.byteLength).toString('base64') : fail(TypeError, 'it is not bytes')), read: readBytes },
  date: { write: (v) => (isDate(v) ? iso(v).slice(0, -14) : asText(v)), read: readText },
  time: { write: asText, read: readText },
  timestamp: { write: (v, column) => (isDate(v) ? (column.zone === false ? iso(v).replace(/(\.000)?Z$/, '') : iso(v)) : asText(v)), read: readMoment },
  decimal: { write: (v) => (typeof v === 'string' || typeof v === 'bigint' || Number.isFinite(v) ? String(v) : fail(TypeError, 'it is no number')), read: readText },
  json: { write: (v) => v, read: (v) => v },
};

function asText(v) { return typeof v === 'string' ? v : fail(TypeError, 'it is not a text'); }

function iso(v) {
  const year = v.getUTCFullYear();
  return year >= 1 && year <= 9999 ? v.toISOString() : fail(RangeError, 'the date is invalid, or not in the years 1 to 9999');
}

function wholeNumber(v) {
  if (typeof v === 'bigint') return Number.isSafeInteger(Number(v)) ? Number(v) : String(v);
  return Number.isInteger(v) ? (Number.isSafeInteger(v) ? v : String(BigInt(v))) : fail(TypeError, 'it is no integer');
}

function realNumber(v) {
  if (typeof v === 'bigint') v = Number(v);
  if (typeof v !== 'number') fail(TypeError, 'it is no number');
  return Number.isFinite(v) ? v : String(v);
}

// linesOf returns the rows as lines of JSON.
function linesOf(name, { columns, rows }, types) {
  let size = 0;
  return rows.map((row, at) => {
    const cells = types.map((type, i) => {
      const value = row[i];
      if (value === null || value === undefined) return null;
      try {
        return TYPES[type].write(value, columns[i]);
      } catch (error) {
        throw new TypeError(`cannot share ${name}: ${columns[i].name} in row ${at}: ${error.message}`);
      }
    });
    // -0 is a number of its own, which JSON.stringify loses.
    const line = `[${cells.map((cell) => (Object.is(cell, -0) ? '-0.0' : json(cell) ?? 'null')).join(',')}]`;
    size += line.length;
    bounded(name, size);
    return line;
  });
}

function readText(v) { return typeof v === 'string' ? v : fail(TypeError, 'it is no text'); }

function readInteger(v) {
  if (typeof v === 'bigint' || Number.isSafeInteger(v)) return v;
  if (typeof v !== 'string' || !INTEGER.test(v)) fail(TypeError, 'it is no integer');
  const n = Number(v);
  return Number.isSafeInteger(n) ? n : BigInt(v);
}

function readBytes(v) {
  if (typeof v !== 'string' || v.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(v)) fail(TypeError, 'it is not base64');
  return Buffer.from(v, 'base64');
}

// readMoment returns a Date, which knows milliseconds; without an offset it is in UTC.
function readMoment(v) {
  const m = MOMENT.exec(readText(v));
  if (!m) fail(TypeError, 'it is no timestamp');
  const at = new Date(0);
  at.setUTCFullYear(Number(m[1]), Number(m[2]) - 1, Number(m[3]));
  at.setUTCHours(Number(m[4]), Number(m[5]), Number(m[6] ?? 0), Number((m[7] ?? '').padEnd(3, '0').slice(0, 3)));
  if (m[9]) at.setTime(at.getTime() - (m[9] === '-' ? -1 : 1) * 1000 * (Number(m[10]) * 3600 + Number(m[11]) * 60 + Number(m[12] ?? 0)));
  return Number.isNaN(at.getTime()) ? fail(TypeError, 'it is no timestamp') : at;
}

function ofArrow({ columns, values, rows }) {
  return objects(columns, rows, (row, column) => values[column][row]);
}

function ofRows(head, body) {
  if (!Array.isArray(head.columns) || !head.columns.every((c) => typeof c?.name === 'string')) fail(TypeError, 'its columns are damaged');
  const columns = head.columns.map((c) => ({ name: c.name, type: Object.hasOwn(TYPES, c.type) ? c.type : 'json', zone: undefined }));
  const lines = [];
  for (let at = 0; at < body.length;) {
    let end = body.indexOf(10, at);
    if (end < 0) end = body.length;
    if (end > at) {
      const row = parse(text(body.subarray(at, end)));
      if (!Array.isArray(row) || row.length !== columns.length) fail(TypeError, `row ${lines.length} has not one value a column`);
      columns.forEach((column, i) => {
        if (column.type === 'timestamp' && typeof row[i] === 'string') column.zone ||= /(Z|[+-]\d\d:?\d\d(:?\d\d)?)$/.test(row[i].slice(10));
        try {
          row[i] = row[i] === null ? null : TYPES[column.type].read(row[i]);
        } catch (error) {
          fail(TypeError, `${column.name} in row ${lines.length}: ${error.message}`);
        }
      });
      lines.push(row);
    }
    at = end + 1;
  }
  for (const column of columns) if (column.type === 'timestamp') column.zone ??= false;
  return objects(columns, lines.length, (row, column) => lines[row][column]);
}

// objects makes the rows of a table, which remembers its columns for when it is shared again.
function objects(columns, count, cell) {
  const out = new Array(count);
  for (let row = 0; row < count; row++) out[row] = Object.fromEntries(columns.map((c, i) => [c.name, cell(row, i)]));
  for (const column of columns) if (column.zone === undefined) delete column.zone;
  Object.defineProperty(out, 'columns', { value: columns, configurable: true, writable: true, enumerable: false });
  return out;
}

module.exports = { share, shared, names, unshare };
