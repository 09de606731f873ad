// Cells as scripts: what is declared at the top level of a cell becomes a property of
// the global object, so that the next cell finds it and may declare it again, as in a
// browser's console. A cell that waits, or imports, becomes the body of an async
// function.
//
// The parser is acorn, as node carries it. What is changed keeps every line where it is,
// and where columns move the rewriter knows the old ones.
'use strict';

const { Script } = require('node:vm');
const { stripTypeScriptTypes, SourceMap } = require('node:module');
const acorn = require('internal/deps/acorn/acorn/dist/acorn');
const walk = require('internal/deps/acorn/acorn-walk/dist/walk');
const { Edits } = require('./edits.js');
const scopes = require('./scopes.js');

const KEPT = 500; // cells whose source is kept for tracebacks
const OPTIONS = {
  ecmaVersion: 'latest', sourceType: 'script', allowAwaitOutsideFunction: true, allowImportExportEverywhere: true,
  allowReturnOutsideFunction: false, allowHashBang: true, locations: false,
};

// PLAIN are names that tell nothing of the session.
const PLAIN = new Set(['Array', 'BigInt', 'Boolean', 'Infinity', 'JSON', 'Math', 'NaN', 'Number', 'Object', 'String', 'parseFloat', 'parseInt', 'undefined']);

// Functions that give an argument back, and those that give the first one back in another form.
const PASSES = new Set(['max', 'min', 'of', 'from', 'Array', 'concat', 'join']);
const FORMS = new Set(['abs', 'round', 'floor', 'ceil', 'trunc', 'Number', 'String', 'BigInt', 'parseInt', 'parseFloat']);

// typedIn lists the texts and numbers of an expression that may stand in its value as they
// are: no keys and no operands.
function typedIn(node, numbers = true) {
  if (Array.isArray(node)) return node.flatMap((item) => typedIn(item, numbers));
  if (!node || typeof node.type !== 'string') return [];
  switch (node.type) {
    case 'Literal': return typeof node.value === 'string' || numbers && typeof node.value === 'number' ? [String(node.value)] : [];
    case 'TemplateLiteral': return [...node.quasis.map((part) => part.value.cooked ?? part.value.raw), ...typedIn(node.expressions, numbers)];
    case 'MemberExpression': return [...typedIn(node.object, numbers), ...(node.computed && node.property.type !== 'Literal' ? typedIn(node.property, false) : [])];
    case 'ConditionalExpression': return [...typedIn(node.test, false), ...typedIn([node.consequent, node.alternate], numbers)];
    case 'CallExpression': case 'NewExpression': {
      const called = node.callee.name ?? node.callee.property?.name;
      return [...typedIn(node.callee, numbers), ...node.arguments.flatMap((item, i) => typedIn(item, numbers && (PASSES.has(called) || FORMS.has(called) && i === 0)))];
    }
  }
  const own = numbers && node.type !== 'BinaryExpression';
  return Object.values(node).flatMap((child) => typeof child === 'object' ? typedIn(child, own) : []);
}

class Rewriter {
  constructor() {
    this.cells = new Map();
    this.constants = new Set();
  }

  // prepare returns what a cell is as a script. What it throws is the program's error.
  prepare(source, language, name) {
    const cell = { lines: source.split('\n'), edits: null, map: null };
    if (this.cells.size >= KEPT) this.cells.delete(this.cells.keys().next().value);
    this.cells.set(name, cell);
    const types = language === 'typescript';
    const code = types ? this.strip(source, cell, name) : source;
    const { tree, edits } = parse(code, name, cell);
    const plan = new Plan(code, tree, edits, types);
    plan.rewrite(this.constants);
    cell.edits = edits;
    plan.code = edits.apply();
    reserve(plan);
    return plan;
  }

  // forget gives up what is kept of a cell.
  forget(name) { this.cells.delete(name); }

  // declared notes what a cell declared, once it began.
  declared(plan) {
    for (const name of plan.names) this.constants.delete(name);
    for (const name of plan.constants) this.constants.add(name);
  }

  // strip takes the types out: where they only stand beside the code, they become blanks.
  strip(source, cell, name) {
    try {
      return stripTypeScriptTypes(source, { mode: 'strip' });
    } catch (error) {
      if (error?.code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') throw badTypes(error, name, cell);
    }
    let code;
    try {
      code = stripTypeScriptTypes(source, { mode: 'transform', sourceMap: true, sourceUrl: name });
    } catch (error) {
      throw badTypes(error, name, cell);
    }
    const found = /\n?\/\/# sourceMappingURL=data:application\/json;base64,([A-Za-z0-9+/=]+)/.exec(code);
    if (found) {
      cell.map = new SourceMap(JSON.parse(Buffer.from(found[1], 'base64').toString('utf8')));
      code = code.slice(0, found.index);
    }
    return code.replace(/\n?\/\/# sourceURL=[^\n]*\s*$/, '');
  }

  // expression evaluates a placeholder, and says whether its value was computed: it reads a
  // name of the session, or does arithmetic on numbers. typed are the texts and numbers that
  // may stand in the value as they are, operands the literals of one that reads no name. With
  // open, something may stand behind it: the rest.
  expression(source, open = false) {
    const tree = acorn.parseExpressionAt(source, 0, { ...OPTIONS, allowAwaitOutsideFunction: false });
    const rest = source.slice(tree.end);
    if (!open && rest.trim() !== '') throw new SyntaxError('a placeholder is one expression');
    let reads = false, texts = false, sums = false;
    const literals = [];
    walk.ancestor(tree, {
      Identifier: (node, state, ancestors) => {
        if (!PLAIN.has(node.name) && !ancestors.some((a) => scopes.declaresOf(a).has(node.name))) reads = true;
      },
      Literal: (node) => {
        texts ||= typeof node.value === 'string';
        literals.push(String(node.value));
      },
      TemplateLiteral: () => { texts = true; },
      BinaryExpression: () => { sums = true; },
      AssignmentExpression: () => { throw new SyntaxError('a placeholder must not assign'); },
      UpdateExpression: () => { throw new SyntaxError('a placeholder must not assign'); },
    });
    const value = new Script(`(${source.slice(0, tree.end)}\n)`, { filename: '<placeholder>' }).runInThisContext({ displayErrors: false });
    return { value, computed: reads || (sums && !texts), typed: typedIn(tree), operands: reads ? [] : literals, rest };
  }

  // original returns where a place of the script was written; null: nowhere.
  original(name, row, column) {
    const cell = this.cells.get(name);
    if (!cell) return [row, column];
    if (row > cell.lines.length && !cell.map) return null;
    if (cell.edits) [row, column] = cell.edits.original(row, column);
    if (cell.map) {
      const entry = cell.map.findEntry(row - 1, column - 1);
      if (entry?.originalLine !== undefined) return [entry.originalLine + 1, entry.originalColumn + 1];
    }
    return [row, column];
  }

  line(name, row) { return this.cells.get(name)?.lines[row - 1]; }
}

// reserve makes room for names that node gives to something that is loaded when it is
// first asked for: such a name cannot be assigned like another.
function reserve(plan) {
  for (const name of plan.names) {
    const property = Object.getOwnPropertyDescriptor(globalThis, name);
    if (property && !('value' in property) && property.configurable) {
      Object.defineProperty(globalThis, name, { value: undefined, writable: true, enumerable: true, configurable: true });
    }
  }
}

function parse(code, name, cell) {
  if (/^\s*\{/.test(code) && !/;\s*$/.test(code)) { // an object, if it can be one
    try {
      const wrapped = `(${code}\n)`;
      const tree = acorn.parse(wrapped, OPTIONS);
      const edits = new Edits(wrapped);
      edits.added(0, 1);
      return { tree, edits };
    } catch { /* it is a block */ }
  }
  try {
    return { tree: acorn.parse(code, OPTIONS), edits: new Edits(code) };
  } catch (error) {
    throw syntaxError(error, code, name, cell);
  }
}

// syntaxError says in the engine's words what is wrong, where it agrees that something is.
function syntaxError(error, code, name, cell) {
  try {
    new Script(`(async () => {\n${code}\n})()`, { filename: name, lineOffset: -1 });
  } catch (engine) {
    const head = /^[\s\S]*?\n(?:SyntaxError: .*)/.exec(String(engine.stack))?.[0];
    if (engine instanceof SyntaxError && head && !/import statement|'import\.meta'|token 'export'/.test(engine.message)) {
      const place = head.startsWith(`${name}:`) ? /^:(\d+)/.exec(head.slice(name.length)) : null;
      if (cell.map) return told(engine, `${name}\n\nSyntaxError: ${engine.message}\n`);
      if (place && Number(place[1]) <= cell.lines.length) return told(engine, `${head}\n`);
    }
  }
  const ended = error.pos >= code.trimEnd().length && /^Unexpected token/.test(error.message);
  const out = new SyntaxError(ended ? 'Unexpected end of input' : String(error.message).replace(/ \(\d+:\d+\)$/, ''));
  const { line = 1, column = 0 } = error.loc ?? {};
  const source = cell.lines[line - 1] ?? '';
  return told(out, `${name}:${line}\n${source}\n${' '.repeat(Math.min(column, 200))}^\n\nSyntaxError: ${out.message}\n`);
}

function badTypes(error, name, cell) {
  const out = new SyntaxError(String(error?.message ?? error));
  const at = /:(\d+)(?::(\d+))?\)?\s*$/.exec(String(error?.stack ?? '').split('\n')[0]);
  const line = at ? Number(at[1]) : 0;
  return told(out, `${name}${line ? `:${line}\n${cell.lines[line - 1] ?? ''}` : ''}\n\nSyntaxError: ${out.message}\n`);
}

function told(error, text) {
  Object.defineProperty(error, 'syntaxOf', { value: text });
  return error;
}

// Plan is how one cell is changed.
class Plan {
  constructor(code, tree, edits, types) {
    Object.assign(this, { source: edits.source, tree, edits, types });
    this.body = tree.body;
    this.names = new Set(); // that the cell declares
    this.constants = new Set();
    this.hoisted = []; // functions
    this.async = scopes.waits(tree);
    const last = this.body.at(-1);
    this.expression = last?.type === 'ExpressionStatement' && !(this.async && last.directive);
  }

  rewrite(known) {
    const { edits, source } = this;
    if (source.startsWith('#!')) edits.replace(0, 2, '//');
    walk.simple(this.tree, { MetaProperty: (node) => { if (node.meta.name === 'import') edits.replace(node.start, node.end, '__praxis.meta()'); } });
    for (const statement of this.body) this.statement(statement);
    if (this.async) this.nested();
    const constants = new Set([...known].filter((name) => !this.names.has(name)));
    for (const name of this.constants) constants.add(name);
    if (constants.size) {
      for (const node of scopes.assignments(this.tree, constants)) this.assignment(node);
    }
    if (this.async) this.wrap();
  }

  statement(node) {
    switch (node.type) {
      case 'VariableDeclaration': return this.variables(node, node.start);
      case 'ClassDeclaration': return this.declaredClass(node, node.start);
      case 'FunctionDeclaration': return this.declaredFunction(node);
      case 'ImportDeclaration': return this.imported(node);
      case 'ExportNamedDeclaration': return this.exported(node);
      case 'ExportDefaultDeclaration': return this.exportedDefault(node);
      case 'ExportAllDeclaration': return this.edits.replace(node.start, node.end, `;await import(${node.source.raw});`);
    }
  }

  variables(node, start) {
    if (node.kind !== 'var' && node.kind !== 'let' && node.kind !== 'const') return; // "using" ends with its block
    for (const one of node.declarations) {
      for (const name of scopes.namesOf(one.id)) {
        this.names.add(name);
        if (node.kind === 'const') this.constants.add(name);
      }
      if (!one.init && (this.async || node.kind === 'let')) {
        if (node.kind === 'let') this.edits.insert(one.id.end, '=void 0');
      }
    }
    const keyword = node.kind.length;
    if (!this.async) return this.edits.replace(start, node.start + keyword, 'var'.padEnd(node.start + keyword - start));
    this.assigned(node, start, ';');
  }

  // assigned makes assignments of a declaration.
  assigned(node, start, before) {
    this.edits.replace(start, node.start + node.kind.length, `${before}(`.padEnd(node.start + node.kind.length - start));
    this.edits.insert(node.declarations.at(-1).end, ');');
  }

  // nested finds the variables of inner blocks that belong to the whole cell.
  nested() {
    scopes.innerVariables(this.tree, this.body, (node, parent) => {
      for (const one of node.declarations) for (const name of scopes.namesOf(one.id)) this.names.add(name);
      const keyword = node.start + 3;
      if ((parent.type === 'ForInStatement' || parent.type === 'ForOfStatement') && parent.left === node) return this.edits.replace(node.start, keyword, '   ');
      this.edits.replace(node.start, keyword, '  (');
      this.edits.insert(node.declarations.at(-1).end, parent.type === 'ForStatement' && parent.init === node ? ')' : ');');
    });
  }

  declaredClass(node, start) {
    this.names.add(node.id.name);
    this.edits.replace(start, node.start, `${this.async ? ';' : 'var '}${node.id.name}=`);
    this.edits.insert(node.end, ';');
  }

  declaredFunction(node) {
    this.names.add(node.id.name);
    if (this.async) this.hoisted.push(node.id.name);
  }

  imported(node) {
    const { edits } = this;
    const attributes = node.attributes?.length ? `,{with:{${node.attributes.map((a) => `${this.text(a.key)}:${this.text(a.value)}`).join(',')}}}` : '';
    const module = `await import(${node.source.raw}${attributes})`;
    const bindings = [], wanted = [];
    for (const one of node.specifiers) {
      this.names.add(one.local.name);
      if (one.type === 'ImportNamespaceSpecifier') bindings.push(`space:${one.local.name}`);
      else {
        const key = one.type === 'ImportDefaultSpecifier' ? 'default' : one.imported.name ?? one.imported.value;
        bindings.push(`${JSON.stringify(key)}:${one.local.name}`);
        wanted.push(key);
      }
    }
    edits.replace(node.start, node.end, bindings.length
      ? `;({${bindings.join(',')}}=__praxis.from(${module},${node.source.raw},${JSON.stringify(wanted)},${this.types}));` : `;${module};`);
  }

  exported(node) {
    if (!node.declaration) {
      return this.edits.replace(node.start, node.end, node.source ? `;await import(${node.source.raw});` : ';');
    }
    const { declaration: inner } = node;
    if (inner.type === 'VariableDeclaration') return this.variables(inner, node.start);
    if (inner.type === 'ClassDeclaration') return this.declaredClass(inner, node.start);
    this.edits.replace(node.start, inner.start, ' '.repeat(inner.start - node.start));
    this.declaredFunction(inner);
  }

  exportedDefault(node) {
    const { declaration: inner } = node;
    if (inner.type === 'FunctionDeclaration' && inner.id) {
      this.edits.replace(node.start, inner.start, ' '.repeat(inner.start - node.start));
      return this.declaredFunction(inner);
    }
    if (inner.type === 'ClassDeclaration' && inner.id) return this.declaredClass(inner, node.start);
    this.edits.replace(node.start, inner.start, ';(');
    this.edits.insert(inner.end, ');');
  }

  // assignment makes an assignment to a constant the error that it is.
  assignment(node) {
    const name = (node.left ?? node.argument).name;
    if (node.type === 'UpdateExpression') return this.edits.replace(node.start, node.end, `__praxis.constant('${name}')`);
    this.edits.replace(node.start, node.right.start, `__praxis.constant('${name}',`);
    this.edits.insert(node.right.end, ')');
  }

  wrap() {
    const { edits, body } = this;
    const directives = body.filter((node) => node.directive);
    const begin = directives.at(-1)?.end ?? 0;
    const names = [...this.names].filter((name) => !this.hoisted.includes(name));
    edits.insert(0, `${names.length ? `var ${names.join(',')};` : ''}(async()=>{`, true);
    if (this.hoisted.length) edits.insert(begin, `;${this.hoisted.map((name) => `globalThis.${name}=${name};`).join('')}`);
    if (this.expression) {
      const { start, end } = body.at(-1).expression;
      edits.replace(body.at(-1).start, start, `;return {value:(${this.source.slice(body.at(-1).start, start)}`);
      const close = body.at(-1).end;
      const semicolon = this.source.slice(end, close).lastIndexOf(';');
      edits.insert(semicolon < 0 ? close : end + semicolon, ')};');
    }
    edits.insert(this.source.length, '\n})()');
  }

  text(node) { return this.source.slice(node.start, node.end); }
}

module.exports = { Rewriter };
