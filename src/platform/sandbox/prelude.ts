/**
 * Runs inside QuickJS before any expression: a function that receives the host function and returns the two that the
 * host calls. It holds its own `parse` and `stringify`, since expressions may replace the globals.
 */
export const prelude = String.raw`
(function (host) {
  'use strict';
  const { parse, stringify } = JSON;
  const maxResultLength = 1000000;
  const maxErrorLength = 1000;

  const give = (name, value) =>
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });

  const ask = (name, args) => {
    const answer = parse(host(name, stringify(args)));
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.value;
  };

  const text = (value) => (value === null || value === undefined ? '' : String(value));

  const show = (value) => (typeof value === 'string' ? value : (stringify(value) ?? String(value)));

  // Microtasks never run here, and there is no second thread.
  delete globalThis.queueMicrotask;
  delete globalThis.SharedArrayBuffer;
  // QuickJS seeds its own when it starts, and every evaluation starts from the same memory: all would draw the same
  // numbers.
  Math.random = function random() { return ask('Math.random', []); };

  give('True', true);
  give('False', false);
  give('None', null);
  give('message', function message(value) { ask('message', [text(value)]); });
  give('log', function log(...values) { ask('log', [values.map(show).join(' ')]); });
  give('ip_in', function ip_in(address, ranges) { return ask('ip_in', [address, ranges]); });
  // A pattern may be a RegExp, whose flags hold; where it matches and how often is the function's.
  const withFlag = (pattern, flag) =>
    new RegExp(pattern, (pattern instanceof RegExp ? pattern.flags.replace(/[gy]/g, '') : '') + flag);
  give('regex_match', function regex_match(value, pattern) { return withFlag(pattern, 'y').test(text(value)); });
  give('regex_replace', function regex_replace(value, pattern, replacement) {
    return text(value).replace(withFlag(pattern, 'g'), text(replacement));
  });
  give('is_group_member', function is_group_member(person, group) {
    const wanted = typeof group === 'string' ? { name: group } : group;
    if (typeof wanted !== 'object' || wanted === null || Object.keys(wanted).length === 0) return false;
    const groups = person && Array.isArray(person.groups) ? person.groups : [];
    return groups.some((one) => Object.keys(wanted).every((member) => Object.hasOwn(one, member) && one[member] === wanted[member]));
  });
  give('list_flatten', function list_flatten(value) { return Array.isArray(value) ? (value[0] ?? null) : value; });
  give('slugify', function slugify(value) {
    return text(value)
      .normalize('NFKD')
      .replace(/[^\x20-\x7e\s]/g, '')
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replace(/[-\s]+/g, '-')
      .replace(/^[-_]+|[-_]+$/g, '');
  });

  return {
    run(expression, given) {
      const { globals, functions } = parse(given);
      for (const name of Object.keys(globals)) give(name, globals[name]);
      for (const name of functions) give(name, (...args) => ask(name, args));
      const value = expression();
      if (value === undefined) return 'null';
      if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') {
        throw new TypeError('the expression returned a ' + typeof value);
      }
      if (value instanceof Promise) throw new TypeError('the expression returned a promise: nothing can be awaited here');
      const result = stringify(value) ?? 'null';
      if (result.length > maxResultLength) throw new RangeError('the result is too large');
      return result;
    },
    describe(error) {
      const words = error instanceof Error ? error.name + ': ' + error.message : 'Uncaught ' + show(error);
      const line = /\bexpression:(\d+)/.exec(error instanceof Error ? text(error.stack) : '');
      return words.slice(0, maxErrorLength) + (line ? ' (near line ' + line[1] + ')' : '');
    },
  };
})
`;
