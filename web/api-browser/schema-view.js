import { nameOfReference, resolve, typeName, withoutNull } from './document.js';
import { element } from './dom.js';

/** The members of a schema as a table; what they refer to opens on demand. */
export function schemaView(api, schema) {
  const plain = withoutNull(schema);
  const found = resolve(api, plain);
  if (found.type === 'array') {
    return element('div', {}, element('p', { class: 'quiet' }, `A ${typeName(api, plain)}.`), nested(api, found.items));
  }
  const options = found.oneOf ?? found.anyOf;
  if (options)
    return element(
      'div',
      {},
      element('p', { class: 'quiet' }, 'One of these:'),
      options.map((option) => nested(api, option)),
    );
  if (!found.properties) return element('p', { class: 'quiet' }, `Any ${typeName(api, plain)}.`);
  const required = new Set(found.required);
  return element(
    'ul',
    { class: 'members' },
    Object.entries(found.properties).map(([name, member]) => memberView(api, name, member, required.has(name))),
  );
}

function memberView(api, name, member, isRequired) {
  const plain = withoutNull(member);
  const inner = plain.items ? withoutNull(plain.items) : plain;
  const opens = nameOfReference(inner) || inner.properties;
  return element(
    'li',
    {},
    element('code', { class: 'name' }, name),
    ' ',
    element('span', { class: 'type' }, typeName(api, member)),
    isRequired && element('span', { class: 'flag' }, 'required'),
    member.readOnly && element('span', { class: 'flag' }, 'read-only'),
    member.writeOnly && element('span', { class: 'flag' }, 'write-only'),
    element('span', { class: 'limits' }, limitsOf(plain)),
    member.description && element('p', { class: 'quiet' }, member.description),
    opens && nested(api, inner),
  );
}

/** Opened when it is looked at: schemas may hold each other without end. */
function nested(api, schema) {
  const details = element('details', {}, element('summary', {}, nameOfReference(schema) ?? 'members'));
  details.addEventListener(
    'toggle',
    () => {
      details.append(schemaView(api, schema));
    },
    { once: true },
  );
  return details;
}

function limitsOf({ enum: values, minLength, maxLength, minimum, maximum, pattern, default: fallback, maxItems }) {
  const limits = [
    values && `one of ${values.filter((value) => value !== null).join(', ')}`,
    minLength === 1 ? 'not empty' : minLength && `at least ${minLength} characters`,
    maxLength && `at most ${maxLength} characters`,
    minimum !== undefined && `from ${minimum}`,
    maximum !== undefined && `to ${maximum}`,
    maxItems && `at most ${maxItems} items`,
    pattern && `like ${pattern}`,
    fallback !== undefined && `by default ${JSON.stringify(fallback)}`,
  ];
  return limits.filter(Boolean).join('; ');
}
