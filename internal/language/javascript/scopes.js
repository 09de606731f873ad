// What a tree says of names: which it declares, which belong to the whole cell, and
// where one is assigned.
'use strict';

const walk = require('internal/deps/acorn/acorn-walk/dist/walk');

const skip = () => {};
const inner = { Function: skip, StaticBlock: skip, PropertyDefinition: (node, state, c) => { if (node.computed) c(node.key, state); } };

// namesOf lists the names that a pattern binds.
function namesOf(pattern, out = []) {
  switch (pattern?.type) {
    case 'Identifier': out.push(pattern.name); break;
    case 'ObjectPattern': for (const p of pattern.properties) namesOf(p.type === 'RestElement' ? p.argument : p.value, out); break;
    case 'ArrayPattern': for (const p of pattern.elements) namesOf(p, out); break;
    case 'RestElement': namesOf(pattern.argument, out); break;
    case 'AssignmentPattern': namesOf(pattern.left, out);
  }
  return out;
}

// waits says that a program waits at its top level, or imports.
function waits(tree) {
  let found = false;
  const yes = () => { found = true; };
  const next = (visit) => (node, state, c) => { visit(node); walk.base[node.type](node, state, c); };
  walk.recursive(tree, null, {
    ...inner,
    AwaitExpression: yes,
    ForOfStatement: next((node) => { if (node.await) yes(); }),
    VariableDeclaration: next((node) => { if (node.kind.includes('using')) yes(); }),
    ImportDeclaration: yes, ExportAllDeclaration: yes,
    ExportNamedDeclaration: next((node) => { if (node.source) yes(); }),
    ExportDefaultDeclaration: next(skip),
  });
  return found;
}

// innerVariables calls visit with each declaration with var that stands in a statement of
// a program, and not at its top level, and with what it stands in.
function innerVariables(tree, body, visit) {
  const top = new Set(body.map((node) => (node.type === 'ExportNamedDeclaration' ? node.declaration : node)));
  walk.fullAncestor(tree, (node, state, ancestors) => {
    if (node.type !== 'VariableDeclaration' || node.kind !== 'var' || top.has(node)) return;
    const outer = ancestors.slice(0, -1);
    if (outer.some((a) => /Function|StaticBlock/.test(a.type))) return;
    visit(node, outer.at(-1));
  });
}

const declared = new WeakMap();

// declaresOf lists what a scope declares itself.
function declaresOf(node) {
  const known = declared.get(node);
  if (known) return known;
  const out = new Set();
  const add = (pattern) => namesOf(pattern).forEach((name) => out.add(name));
  const lexical = (statements) => {
    for (const s of statements ?? []) {
      if (s.type === 'VariableDeclaration' && s.kind !== 'var') s.declarations.forEach((d) => add(d.id));
      if ((s.type === 'ClassDeclaration' || s.type === 'FunctionDeclaration') && s.id) out.add(s.id.name);
    }
  };
  if (/Function/.test(node.type)) {
    node.params.forEach(add);
    if (node.type === 'FunctionExpression' && node.id) out.add(node.id.name);
    walk.recursive(node.body, null, { ...inner, VariableDeclaration: (v, s, c) => { if (v.kind === 'var') v.declarations.forEach((d) => add(d.id)); walk.base.VariableDeclaration(v, s, c); } });
    lexical(node.body.body);
  } else if (node.type === 'BlockStatement' || node.type === 'StaticBlock') lexical(node.body);
  else if (node.type === 'CatchClause') add(node.param);
  else if (node.type === 'SwitchStatement') node.cases.forEach((c) => lexical(c.consequent));
  else if (/^For/.test(node.type)) lexical([node.init ?? node.left].filter(Boolean));
  else if (node.type === 'ClassExpression' && node.id) out.add(node.id.name);
  declared.set(node, out);
  return out;
}

// assignments lists the expressions that assign to one of the names of the top level, the
// inner ones of several first left out.
function assignments(tree, names) {
  const out = [];
  const visit = (node, state, ancestors) => {
    const target = node.left ?? node.argument;
    if (target.type !== 'Identifier' || !names.has(target.name)) return;
    if (ancestors.slice(1, -1).some((a) => declaresOf(a).has(target.name))) return;
    out.push(node);
  };
  walk.ancestor(tree, { AssignmentExpression: visit, UpdateExpression: visit });
  return out;
}

module.exports = { namesOf, waits, innerVariables, assignments, declaresOf };
