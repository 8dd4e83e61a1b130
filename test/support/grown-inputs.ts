// Inputs that grow by length, count, depth and repetition, in search of the worst case.

/** What a value is grown from, and how. */
export interface Gene {
  /** Of the places of a target. */
  readonly place: number;
  readonly shape: (typeof shapes)[number];
  readonly piece: string;
  readonly size: number;
}

export const shapes = ['text', 'list', 'same list', 'objects', 'members', 'nested lists', 'nested objects'] as const;
/** `#` is a number that differs each time. */
export const pieces = [
  ...['a', '0', '.', ' ', 'é', '<', '(', '[', '"', '\\', '-', '%', '&', ';', '/', '@', ':', '\n', '*', '\u0000', '💥'],
  ...[
    'a.',
    'a-',
    'a@',
    'a,',
    '%41',
    '://',
    '../',
    '<a>',
    '<a/>',
    '{{',
    '=1;',
    ' or ',
    'a=b&',
    '1,',
    '-----BEGIN A-----\n',
  ],
  ...['<a n#="">', '<a xmlns:n#="u">', ' xmlns:n#="u"', ' n#=""', 'k#=1&', 'k#,', 'emails co "#" or '],
  ...['<a xmlns:b="c"/>', '<!---->', '&amp;', 'eyJhIjoxfQ.', '{"a":', '[a eq "b"]', 'not (', '%u0', 'xmlns:a="b" '],
];

/** A generator of numbers below one (mulberry32). */
export function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A value of about this many bytes as JSON. */
export function grownValue({ shape, piece, size }: Gene): unknown {
  const times = (bytesEach: number) => Math.max(1, Math.floor(size / bytesEach));
  const text = (bytes: number) => {
    const count = Math.max(1, Math.floor(bytes / (Buffer.byteLength(piece) + (piece.includes('#') ? 3 : 0))));
    if (!piece.includes('#')) return piece.repeat(count);
    return Array.from({ length: count }, (_, at) => piece.replaceAll('#', String(at))).join('');
  };
  switch (shape) {
    case 'text':
      return text(size);
    case 'list':
      return Array.from({ length: times(piece.length + 9) }, (_, at) => `${piece}${at}`);
    case 'same list':
      return Array.from({ length: times(piece.length + 3) }, () => piece);
    case 'objects':
      return Array.from({ length: times(30) }, (_, at) => ({ value: `${piece}${at}`, type: 'x' }));
    case 'members':
      return Object.fromEntries(Array.from({ length: times(piece.length + 12) }, (_, at) => [`${piece}${at}`, at]));
    case 'nested lists':
      return nest(Math.min(times(2), 90), (inner) => [inner], text(size / 2));
    case 'nested objects':
      return nest(Math.min(times(6), 90), (inner) => ({ [piece]: inner }), text(size / 2));
  }
}

function nest(depth: number, wrap: (inner: unknown) => unknown, innermost: unknown): unknown {
  let value = innermost;
  for (let at = 0; at < depth; at++) value = wrap(value);
  return value;
}

export const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
