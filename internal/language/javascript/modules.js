// Packages that a session was given when it ran already: each addition is a folder of modules
// below ADDED (image, Addition), which no parent of the code's folder is. They are looked
// through when a name is found nowhere else.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const Module = require('node:module');
const { pathToFileURL } = require('node:url');
const readdirSync = fs.readdirSync.bind(fs);

const ADDED = '/home/user/.packages/npm';
const bare = (name) => typeof name === 'string' && !/^(?:[./#]|[a-z]+:)/.test(name);

function folders() {
  try {
    return readdirSync(ADDED).map((name) => path.join(ADDED, name));
  } catch {
    return [];
  }
}

// elsewhere returns what look finds in the first of the folders that has it; else it throws
// the error for which it was asked.
function elsewhere(name, error, look) {
  if (error?.code !== 'MODULE_NOT_FOUND' && error?.code !== 'ERR_MODULE_NOT_FOUND' || !bare(name)) throw error;
  for (const folder of folders()) {
    try {
      return look(folder);
    } catch (other) {
      if (other?.code !== error.code) throw other;
    }
  }
  throw error;
}

function install() {
  const original = Module._resolveFilename;
  Module._resolveFilename = function (name, parent, isMain, options) {
    try {
      return Reflect.apply(original, this, [name, parent, isMain, options]);
    } catch (error) {
      if (options?.paths) throw error;
      return elsewhere(name, error, (folder) => Reflect.apply(original, this, [name, parent, isMain, { paths: [folder] }]));
    }
  };
  Module.registerHooks({
    resolve(name, context, next) {
      try {
        return next(name, context);
      } catch (error) {
        return elsewhere(name, error, (folder) => next(name, { ...context, parentURL: String(pathToFileURL(path.join(folder, 'cell.mjs'))) }));
      }
    },
  });
}

module.exports = { install };
