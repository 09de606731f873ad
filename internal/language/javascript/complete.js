// Completion: names of the session, and properties of what stands before a dot. No
// code of the user's runs for it: what a getter would say is not asked.
'use strict';

const WORDS = ('async await break case catch class const continue debugger default delete do else export extends false finally for ' +
  'function if import in instanceof let new null of return static super switch this throw true try typeof undefined var void while with yield').split(' ');
const MAX_MATCHES = 500;
const CHAIN = /(?:[\p{ID_Start}$_][\p{ID_Continue}$]*(?:\?\.|\.))*[\p{ID_Start}$_]?[\p{ID_Continue}$]*$/u;

// complete returns what the name before the cursor can become. The cursor counts code points.
function complete(code, cursor) {
  const points = Array.from(code).slice(0, cursor);
  const chain = CHAIN.exec(points.join(''))[0];
  const parts = chain.split(/\?\.|\./);
  const prefix = parts.pop();
  const start = points.length - Array.from(prefix).length;
  let names;
  if (parts.length === 0) {
    names = [...properties(globalThis), ...WORDS];
    if (points[start - 1] === '.') names = [];
  } else {
    let value = globalThis;
    for (const part of parts) {
      value = lookUp(value, part);
      if (value === undefined || value === null) return { start, end: points.length, matches: [] };
    }
    names = properties(value);
  }
  const matches = [...new Set(names)].filter((name) => name.startsWith(prefix) && (prefix.startsWith('_') || !name.startsWith('__')));
  return { start, end: points.length, matches: matches.sort().slice(0, MAX_MATCHES) };
}

function lookUp(value, name) {
  for (let object = Object(value), depth = 0; object && depth < 32; object = Object.getPrototypeOf(object), depth++) {
    if (require('node:util').types.isProxy(object)) return undefined;
    const property = Object.getOwnPropertyDescriptor(object, name);
    if (!property) continue;
    if ('value' in property) return property.value;
    // Modules that are loaded when they are first used are node's own.
    return object === globalThis ? globalThis[name] : undefined;
  }
  return undefined;
}

function properties(value) {
  const names = [];
  for (let object = Object(value), depth = 0; object && depth < 32; object = Object.getPrototypeOf(object), depth++) {
    if (require('node:util').types.isProxy(object)) return names;
    if (object === Object.prototype && depth > 0 && names.length) break;
    names.push(...Object.getOwnPropertyNames(object).slice(0, 5000).filter((name) => /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)));
  }
  return names;
}

module.exports = { complete, lookUp, properties };
