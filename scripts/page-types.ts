import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonSchema } from '../src/resource/document/json-schema.ts';
import type { OpenApiDocument } from '../src/resource/document/openapi-types.ts';

const root = join(import.meta.dirname, '..');
/** The types of API data that pages import; `npm run types` writes it. */
export const typesFile = join(root, 'web/api/types.ts');

const head = `// Made by scripts/page-types.ts (\`npm run types\`) from the OpenAPI document: the schemas that pages import.
`;
const importPattern = /import type \{([^}]*)\} from '(?:\.\/|(?:\.\.\/)+api\/)types\.ts'/g;

/** The schemas that pages import by name. */
export function importedNames(): Set<string> {
  const texts = globSync('web/**/*.{ts,tsx}', { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'));
  const lists = texts.flatMap((text) => [...text.matchAll(importPattern)].map(([, names = '']) => names));
  return new Set(lists.flatMap((names) => names.match(/\w+(?: as \w+)?/g) ?? []).map(withoutAlias));
}

const withoutAlias = (name: string): string => name.replace(/ as .*/, '');

/** TypeScript types of these schemas, and of all that they refer to, sorted by name. */
export function pageTypesOf({ components: { schemas } }: OpenApiDocument, names: Iterable<string>): string {
  const found = new Map<string, JsonSchema>();
  const queue = [...names];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const schema = schemas[name];
    if (!schema) throw new Error(`pages import the schema ${name}, which the OpenAPI document lacks`);
    if (found.has(name)) continue;
    found.set(name, schema);
    queue.push(...referencesIn(schema));
  }
  const sorted = [...found].sort(([one], [other]) => (one < other ? -1 : 1));
  return [head, ...sorted.map(([name, schema]) => declaration(name, schema))].join('\n');
}

const referencesIn = (schema: JsonSchema): string[] =>
  [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = '']) => nameIn(reference));

const nameIn = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

function declaration(name: string, schema: JsonSchema): string {
  const type = typeOf(schema, '');
  return schema.type === 'object' && schema.properties
    ? `export interface ${name} ${type}\n`
    : `export type ${name} = ${type};\n`;
}

function typeOf(schema: JsonSchema, indent: string): string {
  const { $ref, type, items } = schema;
  if ($ref) return nameIn($ref);
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return unionOf(either.map((one) => typeOf(one, indent)));
  if (schema.enum) return unionOf(schema.enum.map(literal));
  if (Array.isArray(type)) return unionOf(type.map((one: string) => typeOf({ ...schema, type: one }, indent)));
  if (type === 'array') return `readonly ${inParentheses(typeOf(items ?? {}, indent))}[]`;
  if (type === 'object') return objectOf(schema, indent);
  return type === 'integer' ? 'number' : String(type ?? 'unknown');
}

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll(/['\\]/g, '\\$&')}'` : String(value);

const unionOf = (types: readonly string[]): string => [...new Set(types)].join(' | ');

/** Members of nested objects are on lines of their own. */
const inParentheses = (type: string): string =>
  type.startsWith('readonly ') || / \| [^\n]*$/.test(type) ? `(${type})` : type;

function objectOf({ properties, required = [], additionalProperties }: JsonSchema, indent: string): string {
  if (!properties) {
    const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties, indent) : 'unknown';
    return `Readonly<Record<string, ${value}>>`;
  }
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, schema]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : literal(name);
    return `${inner}readonly ${key}${required.includes(name) ? '' : '?'}: ${typeOf(schema, inner)};\n`;
  });
  return `{\n${members.join('')}${indent}}`;
}
