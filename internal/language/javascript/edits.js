// Edits of a text that keep its lines, and know which column each column was.
'use strict';

class Edits {
  constructor(source) {
    this.source = source;
    this.list = []; // {start, end, text, order}
    this.lines = new Map(); // by line of the result: [{at, size, column}], at and column from 0
    this.shift = 0; // characters that the first line of the source has more than what was written
  }

  // added says that the first characters of the source are not the user's.
  added(start, count) { this.shift = count; }

  // insert puts text at a place; one that is first comes before the others there.
  insert(at, text, first = false) { this.list.push({ start: at, end: at, text, order: first ? -1 : this.list.length }); }

  // replace puts text in the place of others. Lines that it takes away it gives back.
  replace(start, end, text) {
    if (start === end) return this.insert(start, text);
    const lost = count(this.source, start, end) - count(text, 0, text.length);
    this.list.push({ start, end, text: text + '\n'.repeat(Math.max(lost, 0)), order: this.list.length });
  }

  // apply returns the text with the edits, of which none overlaps another.
  apply() {
    this.list.sort((a, b) => a.start - b.start || (a.order < 0 ? -1 : b.order < 0 ? 1 : (a.end === a.start ? 0 : 1) - (b.end === b.start ? 0 : 1)) || a.order - b.order);
    let out = '', at = 0, line = 1, column = 0, original = 0; // where the result is, and which column that was
    const go = (text, counted) => {
      const last = text.lastIndexOf('\n');
      if (last < 0) {
        column += text.length;
        if (counted) original += text.length;
      } else {
        line += count(text, 0, text.length);
        column = text.length - last - 1;
        if (counted) original = column;
      }
      out += text;
    };
    const note = (size) => {
      if (!this.lines.has(line)) this.lines.set(line, []);
      this.lines.get(line).push({ at: column - size, size, column: original });
    };
    for (const edit of this.list) {
      if (edit.start < at) continue; // inside of what was taken away
      go(this.source.slice(at, edit.start), true);
      const begin = line;
      go(edit.text, false);
      const gone = this.source.slice(edit.start, edit.end);
      const last = gone.lastIndexOf('\n');
      original = last < 0 ? original + gone.length : gone.length - last - 1;
      note(begin === line ? Math.min(edit.text.length, column) : column);
      at = edit.end;
    }
    go(this.source.slice(at), true);
    return out;
  }

  // original returns line and column, from 1, of a place in the result.
  original(row, column) {
    let best = null;
    for (const mark of this.lines.get(row) ?? []) if (mark.at <= column - 1) best = mark;
    let was = column;
    if (best) was = Math.max(column - 1 - best.at - best.size, 0) + best.column + 1;
    return [row, Math.max(row === 1 ? was - this.shift : was, 1)];
  }
}

function count(text, start, end) {
  let n = 0;
  for (let i = text.indexOf('\n', start); i >= 0 && i < end; i = text.indexOf('\n', i + 1)) n++;
  return n;
}

module.exports = { Edits };
