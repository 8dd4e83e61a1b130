import type { OpenApiDocument } from './openapi.ts';

type Members = Record<string, unknown>;

/** The same document for generators that know only OpenAPI 3.0: its schemas have one type, `nullable`, and no `const`. */
export function asOpenApi30(document: OpenApiDocument): unknown {
  // An object stays one.
  return { ...(convert(document) as Members), openapi: '3.0.3' };
}

/** Members that hold values of the administrator's, not schemas. */
const values: ReadonlySet<string> = new Set(['default', 'enum', 'example']);

function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert);
  if (!isMembers(value)) return value;
  return convertSchema(
    Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, values.has(name) ? inner : convert(inner)])),
  );
}

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;

/** What is no schema is left as it is: none of these members has such a value anywhere else. */
function convertSchema(schema: Members): Members {
  const { type, anyOf, $ref, ...rest } = schema;
  if (typeof $ref === 'string') return Object.keys(rest).length > 0 ? { ...rest, allOf: [{ $ref }] } : schema;
  if (Array.isArray(type)) return withTypes(type, rest);
  return Array.isArray(anyOf) ? withoutNull(anyOf, type === undefined ? rest : { ...rest, type }) : schema;
}

function withTypes(types: readonly unknown[], rest: Members): Members {
  const others = types.filter((type) => type !== 'null');
  const nullable = others.length < types.length && { nullable: true };
  if (others.length === 1) return { type: others[0], ...rest, ...nullable };
  // An array has to say of what, even where it is of anything.
  const either = others.map((type) => (type === 'array' ? { type, items: {} } : { type }));
  return { ...rest, ...nullable, anyOf: either };
}

function withoutNull(either: readonly unknown[], rest: Members): Members {
  const others = either.filter((one) => !(isMembers(one) && one.type === 'null'));
  if (others.length === either.length) return { ...rest, anyOf: either };
  return { ...rest, nullable: true, ...(others.length === 1 ? { allOf: others } : { anyOf: others }) };
}
