// The doors by which node enters JavaScript, so that an interrupt finds the code behind
// each of them.
//
// The engine can be told to stop whatever it runs (that is what vm's breakOnSigint does),
// but it then unwinds everything up to where node called it. So each way in is a script
// of node's vm with breakOnSigint around the call: the cell, timers, the queue of
// microtasks and ticks, and what the system calls back. What is stopped behind a door is
// an error there, and the kernel and node's own loops go on.
'use strict';

const vm = require('node:vm');
const timers = require('node:timers');
const emit = process.emitWarning;
process.emitWarning = () => {}; // of the next line
const { internalBinding } = require('internal/test/binding');
process.emitWarning = emit;
const { startSigintWatchdog, stopSigintWatchdog, watchdogHasPendingSigint, ContextifyScript } = internalBinding('contextify');
const { setTickCallback, tickInfo } = internalBinding('task_queue');
const { setCallbackTrampoline, async_hook_fields: fields, async_id_fields: ids, execution_async_resources: resources, constants } = internalBinding('async_wrap');
const { clearAsyncIdStack, nativeHooks, newAsyncId } = require('internal/async_hooks');
const { timerListMap, immediateQueue, async_id_symbol: ID } = require('internal/timers');
const { executionAsyncResource } = require('node:async_hooks');

const HOOK = 'praxis.kernel';
const script = new vm.Script(`globalThis[Symbol.for('${HOOK}')].enter()`, { filename: 'node:praxis' });
const run = ContextifyScript.prototype.runInContext.bind(script);
const HAS_TICKS = 0;

const SIGINT = 2;
const MAX_ROUNDS = 1000; // ticks that are stopped one after the other
const MAX_GIVEN_UP = 100; // interrupted cells whose requests are remembered
const PATIENCE = 1e6; // looks for a signal that is on its way: a handler of the code's may have it
const P = Promise;
const then = Promise.prototype.then;
const ticks = process._tickCallback;
const kill = process._kill.bind(process);

let next = null; // the function behind the door that is being opened
let onBroken = () => {};
let onStopped = () => {};
const ours = new WeakSet(); // what stands in timers and immediates in the place of the code's functions
const direct = new WeakSet(); // resources that are the kernel's own
const givenUp = []; // from and to of the numbers of what interrupted cells asked the system for

function entered() {
  const f = next;
  next = null;
  return f();
}

// isInterrupt asks without running code of what was thrown: it may be a proxy, or have
// getters, and nothing stops what runs outside of a door.
const { isNativeError, isPromise } = require('node:util').types;
const propertyOf = Object.getOwnPropertyDescriptor;
const isInterrupt = (error) => isNativeError(error) && propertyOf(error, 'code')?.value === 'ERR_SCRIPT_EXECUTION_INTERRUPTED';

// through calls f behind a door: what it throws comes out, an interrupt as an error.
function through(f) {
  next = f;
  // null: this context; no timeout; no colours; break on SIGINT; not first line.
  return run(null, -1, false, true, false);
}

// recover puts in order what was cut short.
function recover() {
  clearAsyncIdStack();
  onStopped();
}

// enter calls f behind a door and returns what became of it.
function enter(f) {
  try {
    return { value: through(f) };
  } catch (error) {
    if (isInterrupt(error)) recover();
    return { error };
  }
}

// guarded calls f behind a door, and tells the kernel when it was interrupted.
function guarded(f) {
  if (watchdogHasPendingSigint() && renew()) { // it came between two doors
    onBroken();
    return undefined;
  }
  try {
    return through(f);
  } catch (error) {
    if (!isInterrupt(error)) throw error;
    recover();
    onBroken();
    return undefined;
  }
}

// renew forgets a signal that came while no door was open, and says whether there was one.
function renew() {
  startSigintWatchdog();
  return stopSigintWatchdog();
}

// drain runs what was about to run when code was interrupted (what stands behind an await,
// and ticks) and stops it as well: V8 drops its queue then. The signal for that is ours,
// and drain returns when it has come.
function drain() {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const outcome = enter(() => {
      kill(process.pid, SIGINT);
      ticks();
    });
    if ('error' in outcome && isInterrupt(outcome.error)) continue;
    for (let i = 0; i < PATIENCE && !watchdogHasPendingSigint(); i++);
    renew();
    return;
  }
}

// mark is where the numbers of what a cell asks the system for begin.
const mark = () => ids[constants.kAsyncIdCounter];

// isGivenUp says whether the answer to a request, which may come long after, is one to a
// cell that was interrupted. Its code would go on in the cells that follow.
function isGivenUp(id) {
  for (let i = givenUp.length - 2; i >= 0; i -= 2) {
    if (id > givenUp[i] && id <= givenUp[i + 1]) return true;
  }
  return false;
}

// held returns a promise that is settled as another is, unless the cell is given up that
// made it: what stands behind its await would go on in the cells that follow.
function held(promise) {
  const id = newAsyncId();
  return new P((resolve, reject) => {
    Reflect.apply(then, promise, [(value) => isGivenUp(id) || resolve(value), (error) => isGivenUp(id) || reject(error)]);
  });
}

// installPromises holds the promises that the system itself settles, with no callback:
// those of node:fs/promises.
function installPromises() {
  const files = internalBinding('fs');
  const hold = (object, name) => {
    const original = object[name];
    object[name] = function (...args) {
      const result = Reflect.apply(original, this, args);
      return isPromise(result) ? held(result) : result;
    };
  };
  for (const name of Object.keys(files)) {
    if (typeof files[name] === 'function' && /^[a-z]/.test(name)) hold(files, name);
  }
  hold(files.FileHandle.prototype, 'close');
}

// forget gives up what the code left to be done later since a mark: it was interrupted, or
// it ended the program. Of node's own timers those count that keep a program running, which
// are what stands behind promises of node:timers/promises.
function forget(from) {
  givenUp.push(from, mark());
  if (givenUp.length > 2 * MAX_GIVEN_UP) givenUp.splice(0, 2);
  for (const list of Object.values(timerListMap)) {
    for (let timer = list._idleNext; timer && timer !== list;) {
      const following = timer._idleNext;
      if (ours.has(timer._onTimeout) || isGivenUp(timer[ID]) && timer.hasRef()) timers.clearTimeout(timer);
      timer = following;
    }
  }
  for (let immediate = immediateQueue.head; immediate;) {
    const following = immediate._idleNext;
    if (ours.has(immediate._onImmediate) || isGivenUp(immediate[ID]) && immediate.hasRef()) timers.clearImmediate(immediate);
    immediate = following;
  }
}

function installTimers() {
  for (const name of ['setTimeout', 'setInterval', 'setImmediate']) {
    const original = timers[name];
    const wrapped = function (callback, ...rest) {
      if (typeof callback !== 'function') return original(callback, ...rest);
      const behind = function (...args) {
        return guarded(() => Reflect.apply(callback, this, args));
      };
      ours.add(behind);
      return original(behind, ...rest);
    };
    Object.defineProperty(wrapped, 'name', { value: name });
    for (const key of Object.getOwnPropertySymbols(original)) {
      Object.defineProperty(wrapped, key, Object.getOwnPropertyDescriptor(original, key));
    }
    timers[name] = wrapped;
    globalThis[name] = wrapped;
  }
  require('node:module').syncBuiltinESMExports();
}

// trampoline is how node calls back from the system once hooks are in use.
function trampoline(asyncId, resource, callback, ...args) {
  resources[fields[constants.kStackLength] - 1] = resource;
  if (asyncId !== 0 && fields[constants.kBefore] > 0) nativeHooks.before(asyncId);
  const call = () => Reflect.apply(callback, this, args);
  const result = direct.has(resource) ? call() : isGivenUp(asyncId) ? undefined : guarded(call);
  if (asyncId !== 0 && fields[constants.kAfter] > 0) nativeHooks.after(asyncId);
  resources.pop();
  return result;
}

// install puts the doors in. When code was interrupted, stopped is called, and then broken
// where nobody else learns of it; handle is the kernel's own, which has no door.
function install(broken, stopped, handle) {
  onBroken = broken;
  onStopped = stopped;
  direct.add(handle);
  installTimers();
  installPromises();
  setTickCallback(() => {
    try {
      guarded(ticks);
    } finally {
      tickInfo[HAS_TICKS] = 1; // or microtasks would run without a door
    }
  });
  tickInfo[HAS_TICKS] = 1;
  executionAsyncResource(); // from now on node calls back through the trampoline
  setCallbackTrampoline(trampoline);
  startSigintWatchdog(); // its thread stays, so that a door costs two microseconds
}

module.exports = { enter, entered, forget, install, isInterrupt, mark, renew, drain };
