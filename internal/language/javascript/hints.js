// What a model needs to mend an error that is made often: the names that are there, the
// nearest first. No code of the user's runs for it, and all of it is bounded.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { lookUp, properties } = require('./complete.js');

const MAX_NAMES = 2000;
const MAX_SHOWN = 12;
const MAX_NAME = 60;

// hintOf returns a hint for an error, or ''.
function hintOf(error) {
  const { code, message } = error;
  if (code === 'ENOENT' && typeof error.path === 'string') return files(error.path);
  if (typeof message !== 'string') return '';
  if (message === 'fetch failed') return refusal(String(error.cause?.cause?.message ?? ''));
  let m = /^([\p{ID_Start}$_][\p{ID_Continue}$]*) is not defined$/u.exec(message);
  if (m) return listed('Nearest names', properties(globalThis), m[1], 0.6);
  m = /^((?:[\p{ID_Start}$_][\p{ID_Continue}$]*\.)+)([\p{ID_Start}$_][\p{ID_Continue}$]*) is not a (?:function|constructor)/u.exec(message);
  if (!m) return '';
  let value = globalThis;
  for (const part of m[1].slice(0, -1).split('.')) {
    value = lookUp(value, part);
    if (value === undefined || value === null) return '';
  }
  return listed('Nearest properties', properties(value), m[2], 0.6);
}

// refusal says what a proxy's answer means, of which fetch tells the status alone.
function refusal(message) {
  const m = /^Proxy response \((\d+)\)/.exec(message);
  if (!m) return '';
  if (m[1] === '403') return 'The rules of the network do not allow this host. Go on without it.';
  return 'The proxy could not reach this host.';
}

function files(wanted) {
  const folders = new Set([path.dirname(path.resolve(wanted)), process.cwd(), '/work']);
  for (const folder of folders) {
    let names;
    try {
      names = fs.readdirSync(folder, { withFileTypes: true }).slice(0, MAX_NAMES)
        .filter((e) => !e.name.startsWith('.')).map((e) => (e.isDirectory() ? `${e.name}/` : e.name)).sort();
    } catch {
      continue;
    }
    if (names.length) return listed(`Files in ${folder.slice(0, 200)}`, names, path.basename(wanted), 0);
  }
  return `There are no files in ${process.cwd().slice(0, 200)}.`;
}

// listed is a line with names, those first that are like one.
function listed(title, names, near, fits) {
  const rated = [...new Set(names)].slice(0, MAX_NAMES).map((name) => ({ name, like: likeness(name, near) })).filter((r) => r.like >= fits);
  rated.sort((a, b) => b.like - a.like); // the sort is stable
  if (!rated.length) return '';
  const shown = rated.slice(0, MAX_SHOWN).map(({ name }) => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name));
  const more = rated.length > MAX_SHOWN ? `, … ${rated.length - MAX_SHOWN} more` : '';
  return `${title}: ${shown.join(', ')}${more}.`;
}

// likeness is 1 for equal names and 0 for those that have nothing in common.
function likeness(one, two) {
  const a = one.toLowerCase().slice(0, MAX_NAME);
  const b = two.toLowerCase().slice(0, MAX_NAME);
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return 1 - row[b.length] / Math.max(a.length, b.length, 1);
}

module.exports = { hintOf };
