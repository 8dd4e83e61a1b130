import { nameOfReference, resolve, withoutNull } from './document.js';

const deepest = 4;
const texts = {
  uuid: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  'date-time': '2030-01-31T12:00:00Z',
  email: 'ada@example.com',
  uri: 'https://example.com/',
};

/**
 * A value that fits a schema. A body leaves out what only the server sets, and what it may leave out but has no
 * default.
 */
export function exampleOf(api, schema, { forBody = false } = {}, depth = 0, within = []) {
  const plain = withoutNull(schema);
  const name = nameOfReference(plain);
  if (name && within.includes(name)) return {};
  const inside = name ? [...within, name] : within;
  const found = name ? resolve(api, plain) : plain;
  if (found.default !== undefined) return found.default;
  if (found.enum) return found.enum[0];
  const [option] = found.oneOf ?? found.anyOf ?? [];
  if (option) return exampleOf(api, option, { forBody }, depth, inside);
  const type = [found.type].flat().find((option) => option !== 'null');
  switch (type) {
    case 'string':
      return texts[found.format] ?? (found.pattern ? 'example' : 'text');
    case 'integer':
    case 'number':
      return Math.max(found.minimum > 0 ? found.minimum : 0, 0);
    case 'boolean':
      return false;
    case 'array':
      return forBody && found.items?.format === 'uuid'
        ? []
        : [exampleOf(api, found.items ?? {}, { forBody }, depth + 1, inside)];
    case 'object':
      return exampleObject(api, found, { forBody }, depth, inside);
    default:
      return {};
  }
}

function exampleObject(api, { properties = {}, required = [] }, options, depth, within) {
  if (depth > deepest) return {};
  const members = Object.entries(properties).filter(([name, member]) => {
    if (!options.forBody) return true;
    return !member.readOnly && (required.includes(name) || member.default !== undefined);
  });
  return Object.fromEntries(
    members.map(([name, member]) => [name, exampleOf(api, member, options, depth + 1, within)]),
  );
}
