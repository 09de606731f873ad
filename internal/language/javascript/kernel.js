// The JavaScript kernel: runs cells that the agent sends. doc.go is the contract.
//
// It is started with --expose-internals, which gives it node's own parser and what it
// needs to stop code at every door by which node enters JavaScript; code of the user
// finds neither, unless it looks for them.
'use strict';

const path = require('node:path');
const beside = (name) => require(path.join(__dirname, name));
const { Control } = beside('control.js');
const doors = beside('doors.js');
const modules = beside('modules.js');
const streams = beside('streams.js');
const { Show } = beside('show.js');
const { Answers } = beside('answers.js');
const { Errors } = beside('errors.js');
const { Rewriter } = beside('rewrite.js');
const { Seeds } = beside('seeds.js');
const { Script, constants: { USE_MAIN_CONTEXT_DEFAULT_LOADER: DEFAULT_LOADER } } = require('node:vm'); // whatever the code makes of it
const Module = require('node:module');
const { performance } = require('node:perf_hooks');

const HOOK = Symbol.for('praxis.kernel');
const isPromise = require('node:util').types.isPromise;
const TYPESCRIPT = '//praxis:typescript\n'; // begins code that is TypeScript; see language.go
const apply = Reflect.apply;
const promised = Promise.prototype.then;
const then = (promise, ...both) => apply(promised, promise, both); // whatever the code made of it
const now = performance.now.bind(performance); // what the code sees follows the date under a seed
const timeOrigin = performance.timeOrigin;
const cpuUsage = process.cpuUsage.bind(process);
const resourceUsage = process.resourceUsage.bind(process);
const setEnvironment = (name, value) => { process.env[name] = value; };
const unsetEnvironment = (name) => { delete process.env[name]; };

// Exit is what process.exit throws: it unwinds the code as far as it can.
class Exit extends Error {
  #exit;
  static is(error) { return error !== null && typeof error === 'object' && #exit in error; } // asks no proxy
  constructor(code) {
    super(String(code));
    this.name = 'ProcessExit';
    this.code = code;
  }
}

class Interrupt extends Error {
  #interrupt;
  static is(error) { return error !== null && typeof error === 'object' && #interrupt in error; }
  constructor() {
    super('the code was interrupted');
    this.name = 'Interrupted';
    this.stack = 'Interrupted: the code was interrupted';
  }
}

// Kernel is the state of the interpreter between messages.
class Kernel {
  constructor() {
    this.count = 0;
    this.cell = null; // the cell that runs: {id, settle, interrupted, exit}
    this.id = 0;
    this.columns = 100;
    this.control = new Control((message) => this.take(message));
    this.rewriter = new Rewriter();
    this.errors = new Errors(this.rewriter, __dirname);
    this.seeds = new Seeds();
    this.show = new Show((bundle) => this.display(bundle), () => this.width);
    this.memory = 0;
    this.exitCode = undefined;
  }

  get width() { return this.cellColumns || this.columns; }

  take(message) {
    switch (message.op) {
      case 'start': return void this.start(message);
      case 'execute': return void this.execute(message);
      case 'rehearse': return this.rehearse(message);
      case 'interrupt': return this.interrupt(message);
      case 'complete': return this.complete(message);
      case 'reseed': return this.seeds.mix(String(message.entropy ?? ''));
      case 'seed': return this.seeds.set(message.seed ?? 0);
      case 'environ':
        for (const name of message.unset ?? []) unsetEnvironment(name);
        for (const [name, value] of Object.entries(message.set ?? {})) setEnvironment(name, String(value));
        this.network([...message.unset ?? [], ...Object.keys(message.set ?? {})]);
        if (message.folder) {
          try { process.chdir(String(message.folder)); } catch (error) { this.uncaught(error, 'in the working folder'); }
        }
    }
  }

  // network makes node go by what an environment says of the network now.
  network(changed) {
    if (!changed.some((name) => /^(https?_proxy|no_proxy|node_extra_ca_certs)$/i.test(name))) return;
    const outcome = doors.enter(() => beside('network.js').follow());
    if ('error' in outcome) this.report(outcome.error, 'in what the environment says of the network');
  }

  async start(message) {
    if (message.columns >= 20 && message.columns <= 1000) this.columns = message.columns;
    streams.install((stream, data) => this.control.output(this.id, stream, data), () => this.width);
    this.prepareProcess();
    this.prepareGlobals();
    modules.install();
    doors.install(() => this.broken(), () => this.control.recover(), this.control.handle);
    if (message.seed !== null && message.seed !== undefined || message.deterministic) this.seeds.set(message.seed ?? 0);
    const failures = {};
    for (const name of message.preload ?? []) {
      try {
        if (name === 'praxis:typescript') this.rewriter.prepare('let a: number = 1', 'typescript', '<start>');
        else await import(require.resolve(name, { paths: [process.cwd()] }));
      } catch (error) {
        failures[name] = String(error?.message ?? error).slice(0, 1000);
      }
    }
    this.control.send({ type: 'ready', version: process.versions.node, preload_errors: failures });
  }

  prepareProcess() {
    // Where a loader of ours starts node, the system names that as the program.
    if (process.argv0.startsWith('/')) process.execPath = process.argv0;
    process.execArgv = [];
    process.argv = [process.execPath];
    process.title = 'node';
    process.exit = (code) => this.exit(code ?? process.exitCode ?? 0);
    process.reallyExit = process.exit;
    process.abort = () => this.exit(134);
    process.on('uncaughtException', (error) => this.uncaught(error));
    process.on('unhandledRejection', (error) => this.uncaught(error, 'in a promise'));
    process.on('warning', () => {});
  }

  prepareGlobals() {
    const hidden = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true, writable: true, enumerable: false });
    const folder = process.cwd();
    hidden('require', Module.createRequire(path.join(folder, 'cell.js')));
    hidden('module', { exports: {}, id: '.', path: folder, filename: path.join(folder, 'cell.js'), loaded: false, children: [], paths: globalThis.require.resolve.paths('x') });
    hidden('exports', globalThis.module.exports);
    hidden('__filename', globalThis.module.filename);
    hidden('__dirname', folder);
    hidden('display', this.show.display);
    hidden('answer', new Answers(this.show, folder).answer);
    require.main = undefined;
    globalThis.require.main = globalThis.module;
    const hook = Object.freeze({
      enter: doors.entered,
      from,
      constant: (name) => { throw new TypeError(`Assignment to constant variable '${name}'.`); },
      meta: () => ({
        url: String(require('node:url').pathToFileURL(path.join(process.cwd(), 'cell.mjs'))),
        dirname: process.cwd(), filename: path.join(process.cwd(), 'cell.mjs'), main: true,
        resolve: (name) => String(require('node:url').pathToFileURL(globalThis.require.resolve(name))),
      }),
      rest: () => this.rest(),
      expression: (source, open) => this.rewriter.expression(source, open),
      measured: (source) => {
        const { code } = this.rewriter.prepare(source, 'javascript', '<timed>');
        const script = new Script(code, { filename: '<timed>', importModuleDynamically: DEFAULT_LOADER });
        return () => script.runInThisContext();
      },
      invoke: (args, stdin) => this.invoke(args, stdin),
    });
    Object.defineProperty(globalThis, HOOK, { value: hook });
    Object.defineProperty(globalThis, 'praxis', { // what languages share; loaded when first used
      configurable: true, enumerable: false,
      get: () => { const value = beside('share.js'); hidden('praxis', value); return value; },
      set: (value) => hidden('praxis', value),
    });
    hidden('__praxis', hook);
    for (const name of ['fs', 'path', 'os', 'util', 'assert', 'child_process', 'crypto', 'events', 'http', 'https', 'net', 'readline',
      'stream', 'url', 'zlib', 'v8', 'vm', 'worker_threads', 'perf_hooks', 'async_hooks', 'dns', 'querystring', 'string_decoder', 'timers', 'tls']) {
      if (Object.hasOwn(globalThis, name)) continue;
      Object.defineProperty(globalThis, name, { // as in node's own prompt: loaded when first used
        configurable: true, enumerable: false,
        get: () => { const value = require(name); hidden(name, value); return value; },
        set: (value) => Object.defineProperty(globalThis, name, { value, configurable: true, writable: true, enumerable: true }),
      });
    }
  }

  // Cells.

  async execute(message) {
    const begun = this.stamp();
    const cell = { id: message.id, interrupted: false, exit: undefined, done: false, mark: doors.mark() };
    doors.renew(); // a signal that came too late for the cell before
    this.cell = cell;
    this.id = message.id;
    this.count++;
    this.cellColumns = message.columns >= 20 && message.columns <= 1000 ? message.columns : 0;
    this.began = now();
    this.cpu = cpuUsage();
    cell.stamps = message.stamps ? [this.control.came, begun] : null;
    const name = message.file ? this.errors.named(String(message.file)) : `<cell ${this.count}>`;
    let source = String(message.code ?? '');
    let language = 'javascript';
    if (source.startsWith(TYPESCRIPT)) [source, language] = [source.slice(TYPESCRIPT.length), 'typescript'];
    let script, plan;
    try {
      plan = this.rewriter.prepare(source, language, name);
      script = new Script(plan.code, { filename: name, importModuleDynamically: DEFAULT_LOADER });
    } catch (error) {
      return this.settle(cell, { error });
    }
    const outcome = doors.enter(() => script.runInThisContext({ displayErrors: false }));
    if (doors.isInterrupt(outcome.error)) return this.broken();
    if ('error' in outcome) return this.settle(cell, outcome);
    this.rewriter.declared(plan);
    const wanted = message.result !== false && plan.expression;
    if (!plan.async && !(wanted && isPromise(outcome.value))) return this.settle(cell, { value: wanted ? outcome.value : undefined });
    // While it waits, node may find that nothing is left that could end the wait.
    cell.waiting = true;
    this.control.unref();
    then(outcome.value,
      (value) => this.settled(cell, wanted ? (plan.async ? value?.value : value) : undefined),
      (error) => this.settle(cell, { error }));
  }

  // rehearse goes the way of a cell with code of the kernel's own, so that what cells touch
  // is in memory, and leaves nothing of it: the code waits for nothing, so that it has ended
  // when execute returns.
  rehearse(message) {
    const { id, count, memory } = this;
    this.execute({ id: message.id, code: '0' });
    this.rewriter.forget(`<cell ${this.count}>`);
    Object.assign(this, { id, count, memory });
  }

  settled(cell, value) {
    if (!isPromise(value)) return this.settle(cell, { value });
    then(value, (v) => this.settle(cell, { value: v }), (error) => this.settle(cell, { error }));
  }

  // settle sends what became of a cell; only the first call does.
  settle(cell, outcome) {
    if (cell.done) return;
    cell.done = true;
    this.control.ref();
    const done = { type: 'done', id: cell.id, status: 'ok', result: null, error: null, interrupted: false };
    if (cell.interrupted) outcome = { error: new Interrupt() };
    else if (cell.exit) outcome = { error: cell.exit };
    if (!('error' in outcome) && outcome.value !== undefined) {
      const shown = doors.enter(() => this.show.bundle(outcome.value));
      if ('error' in shown) outcome = shown;
      else done.result = shown.value;
    }
    if ('error' in outcome) this.failed(outcome.error, cell, done);
    done.wall_ms = now() - this.began;
    this.measure(done);
    this.cell = null;
    if (cell.stamps) done.stamps = [...cell.stamps, this.stamp()];
    this.control.send(done);
  }

  failed(error, cell, done) {
    if (Exit.is(error)) {
      done.status = 'exit';
      done.exit_code = error.code;
      done.error = { name: 'ProcessExit', value: String(error.code), traceback: '' };
      doors.forget(cell.mark);
      return;
    }
    done.status = 'error';
    if (doors.isInterrupt(error) || Interrupt.is(error)) {
      error = Interrupt.is(error) ? error : new Interrupt();
      done.interrupted = true;
    }
    const told = doors.enter(() => this.errors.describe(error));
    done.error = told.value ?? { name: 'Error', value: 'the error could not be shown', traceback: '' };
    const hint = doors.enter(() => this.errors.hint(error));
    if (typeof hint.value === 'string' && hint.value) done.error.hint = hint.value.slice(0, 1000);
    const refused = doors.enter(() => this.errors.refused(error));
    if (refused.value?.length) done.refused = refused.value;
  }

  // measure says what the cell used. What a very short one took would take longer to find out.
  measure(done) {
    if (this.memory && done.wall_ms < 2) {
      done.cpu_ms = 0;
      done.peak_memory_bytes = this.memory;
      return;
    }
    const used = cpuUsage(this.cpu);
    done.cpu_ms = (used.user + used.system) / 1e3;
    this.memory = done.peak_memory_bytes = resourceUsage().maxRSS * 1024;
  }

  stamp() { return Math.round((timeOrigin + now()) * 1e6); }

  display(bundle) {
    this.control.display(this.id, bundle);
  }

  // interrupt ends the wait of a cell. Code that computes is ended by the signal.
  interrupt(message) {
    const cell = this.cell;
    if (!cell || cell.id !== message.id || !cell.waiting) return;
    cell.interrupted = true;
    this.settle(cell, {});
    doors.forget(cell.mark);
  }

  // broken is told that code was ended behind one of the doors.
  broken() {
    const cell = this.cell;
    if (!cell) return;
    cell.done = true; // nothing that is stopped now settles it
    doors.forget(cell.mark);
    doors.drain();
    cell.interrupted = true;
    cell.done = false; // it may have happened while its end was being told
    this.settle(cell, {});
  }

  exit(code) {
    const error = new Exit(Number.isInteger(Number(code)) ? Number(code) & 0xff : 1);
    if (this.cell) {
      this.cell.exit = error;
      if (this.cell.waiting) this.settle(this.cell, { error });
    }
    throw error;
  }

  uncaught(error, where) {
    if (Exit.is(error)) return;
    if (doors.isInterrupt(error)) return this.broken(error);
    this.report(error, where);
  }

  report(error, where) {
    if (Exit.is(error)) return;
    const told = doors.enter(() => this.errors.describe(error));
    const text = told.value?.traceback || 'an error that could not be shown';
    this.control.output(this.id, 2, `Uncaught${where ? ` (${where})` : ''} ${text}${text.endsWith('\n') ? '' : '\n'}`);
  }

  // rest waits until nothing is left that node would wait for before it ends.
  async rest() {
    await new Promise((resolve) => { this.resting = resolve; });
  }

  // idle is told that the event loop has nothing left to do.
  idle() {
    const cell = this.cell;
    this.control.ref();
    if (this.resting) {
      const resolve = this.resting;
      this.resting = null;
      resolve();
      return;
    }
    if (cell?.waiting && doors.renew()) return this.broken();
    if (cell?.waiting) {
      const error = new Error('nothing is left that could settle the promise that the code waits for');
      error.name = 'UnsettledAwait';
      error.stack = `${error.name}: ${error.message}`;
      this.settle(cell, { error });
    }
  }

  invoke(args, stdin) {
    if (args.length) process.argv = [process.execPath, ...args];
    if (!stdin) return;
    const fs = require('node:fs');
    fs.closeSync(0);
    fs.openSync(stdin, 'r'); // the lowest free number, which is 0: what is started has it, too
    fs.unlinkSync(stdin);
    streams.input();
  }

  complete(message) {
    let found = { start: message.cursor, end: message.cursor, matches: [] };
    const told = doors.enter(() => beside('complete.js').complete(String(message.code ?? ''), message.cursor | 0));
    if (told.value) found = told.value;
    this.control.send({ type: 'completions', id: message.id, ...found });
  }
}

// from returns what an import statement binds. A package in the older format may have
// exports that only running it shows; they are found in its default.
function from(space, name, wanted, types) {
  const out = { space };
  for (const key of wanted) {
    if (key in space) out[key] = space[key];
    else if (space.default !== null && space.default !== undefined && key in Object(space.default)) out[key] = space.default[key];
    else if (!types) throw new SyntaxError(`The requested module '${name}' does not provide an export named '${key}'`);
  }
  return out;
}

const kernel = new Kernel();
process.on('beforeExit', () => kernel.idle());
kernel.control.begin();
