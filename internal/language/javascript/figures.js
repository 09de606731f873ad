// the figures of the answer
(() => {
  const group = (digits, mark) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, mark);
  const shape = (text, spec) => {
    const m = /^(?:(.)?([<>=^]))?([-+ ]?)(z?)(#?)(0?)(\d*)([,_]?)(?:\.(\d+))?([a-zA-Z%]?)$/u.exec(spec);
    if (!m) throw new SyntaxError(`the format ${spec} is not known`);
    const [, fill, align, sign, , , zero, width, mark, precision, kind] = m;
    const places = precision === undefined ? undefined : Number(precision);
    let out, number = typeof text === 'number' || typeof text === 'bigint';
    if (!number) {
      if (kind && kind !== 's') throw new TypeError(`the format ${spec} is for numbers`);
      out = places === undefined ? String(text) : Array.from(String(text)).slice(0, places).join('');
    } else {
      const negative = text < 0 || Object.is(text, -0);
      const size = typeof text === 'bigint' ? (negative ? -text : text) : Math.abs(text);
      let digits;
      switch (kind) {
        case 'f': case 'F': digits = typeof size === 'bigint' ? `${size}${places === 0 ? '' : `.${'0'.repeat(places ?? 6)}`}` : size.toFixed(places ?? 6); break;
        case '%': digits = `${(Number(size) * 100).toFixed(places ?? 6)}%`; break;
        case 'e': case 'E': digits = Number(size).toExponential(places ?? 6).replace(/e([+-])(\d)$/, 'e$10$2'); break;
        case 'd': case 'n':
          if (!Number.isInteger(Number(size))) throw new TypeError(`the format ${spec} is for whole numbers`);
          digits = String(typeof size === 'bigint' ? size : BigInt(size)); break;
        case 'b': digits = size.toString(2); break;
        case 'o': digits = size.toString(8); break;
        case 'x': case 'X': digits = size.toString(16); break;
        case 'g': case 'G': digits = String(Number(Number(size).toPrecision(Math.max(places ?? 6, 1)))); break;
        case '': digits = places === undefined ? String(size) : String(Number(Number(size).toPrecision(Math.max(places, 1)))); break;
        default: throw new SyntaxError(`the format ${spec} is not known`);
      }
      if (kind === 'E' || kind === 'G' || kind === 'X') digits = digits.toUpperCase();
      if (mark) digits = digits.replace(/^\d+/, (whole) => group(whole, mark));
      out = (negative ? '-' : sign === '+' || sign === ' ' ? sign : '') + digits;
    }
    const lacks = Number(width || 0) - Array.from(out).length;
    if (lacks <= 0) return out;
    const pad = (fill ?? (zero && number ? '0' : ' '));
    const where = align ?? (zero && number ? '=' : number ? '>' : '<');
    if (where === '=') return out.replace(/^([-+ ]?)/, (s) => s + pad.repeat(lacks));
    if (where === '^') return pad.repeat(lacks >> 1) + out + pad.repeat(lacks - (lacks >> 1));
    return where === '<' ? out + pad.repeat(lacks) : pad.repeat(lacks) + out;
  };
  const date = (value, spec) => {
    const two = (n) => String(n).padStart(2, '0');
    const names = (option) => new Intl.DateTimeFormat('en', { ...option, timeZone: 'UTC' }).format(value);
    const known = {
      Y: value.getUTCFullYear(), y: two(value.getUTCFullYear() % 100), m: two(value.getUTCMonth() + 1), d: two(value.getUTCDate()),
      H: two(value.getUTCHours()), I: two((value.getUTCHours() + 11) % 12 + 1), M: two(value.getUTCMinutes()), S: two(value.getUTCSeconds()),
      p: value.getUTCHours() < 12 ? 'AM' : 'PM', A: names({ weekday: 'long' }), a: names({ weekday: 'short' }), B: names({ month: 'long' }), b: names({ month: 'short' }),
      F: value.toISOString().slice(0, 10), T: value.toISOString().slice(11, 19), '%': '%',
    };
    return spec.replace(/%([-_^#]?)([A-Za-z%])/g, (all, flag, key) => {
      if (!(key in known)) throw new SyntaxError(`the format ${all} is not known`);
      const text = String(known[key]);
      return flag === '-' ? text.replace(/^0(?=.)/, '') : flag === '^' ? text.toUpperCase() : text;
    });
  };
  const util = process.getBuiltinModule('node:util');
  const figures = [];
  // fillsIn says what of a format would stand in the value as a part of its figure; null: all of it.
  const fillsIn = (spec) => {
    const m = /^(?:(.)?([<>=^]))?[-+ ]?z?#?(0?)\d*[,_]?(?:\.\d+)?[a-zA-Z%]?$/su.exec(spec);
    if (!m) return spec.replace(/%[-_^#]?[A-Za-z%]/g, ' ');
    const fill = m[1] ?? (m[3] || ' ');
    return /[0-9+\-.,eE%]/.test(fill) && (fill !== '0' || m[2] === '<' || m[2] === '^') ? null : '';
  };
  for (const placeholder of PLACEHOLDERS) {
    const { value: found, computed, typed, operands, rest } = globalThis[Symbol.for('praxis.kernel')].expression(placeholder, true);
    const m = /^\s*(?:!([rsa])\s*)?(?::([^]*))?$/.exec(rest);
    if (!m) throw new SyntaxError('a placeholder is one expression');
    const conversion = m[1], spec = (m[2] ?? '').trimEnd(), filled = fillsIn(spec);
    if (filled) typed.push(filled);
    let value = found;
    if (conversion === 'r' || conversion === 'a') value = util.inspect(value);
    if (conversion === 's') value = String(value);
    const text = value instanceof Date
      ? spec ? date(value, spec) : value.toISOString()
      : spec === '' ? (typeof value === 'object' && value !== null ? util.inspect(value) : String(value)) : shape(value, spec);
    figures.push([text, computed && filled !== null, typed.join('\n').slice(0, 4000), operands.join('\n').slice(0, 4000)]);
  }
  const text = JSON.stringify(figures);
  return { [util.inspect.custom]: () => text };
})()
