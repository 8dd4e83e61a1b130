import type { OpenApiDocument } from './openapi-types.ts';

type Members = Record<string, unknown>;

/**
 * The document for generators that support only OpenAPI 3.0: schemas with a single type, `nullable`, and no `const`.
 */
export function asOpenApi30(document: OpenApiDocument): unknown {
  // An object is converted to an object.
  return { ...(convert(document) as Members), openapi: '3.0.3' };
}

/** Members that hold plain values, not schemas. */
const values: ReadonlySet<string> = new Set(['default', 'enum', 'example']);

function convert(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convert);
  if (!isMembers(value)) return value;
  return convertSchema(
    Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, values.has(name) ? inner : convert(inner)])),
  );
}

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;

/** Leaves non-schemas unchanged: they have none of these members. */
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
  // OpenAPI 3.0 requires `items`, even for arrays of anything.
  const either = others.map((type) => (type === 'array' ? { type, items: {} } : { type }));
  return { ...rest, ...nullable, anyOf: either };
}

function withoutNull(either: readonly unknown[], rest: Members): Members {
  const others = either.filter((one) => !(isMembers(one) && one.type === 'null'));
  if (others.length === either.length) return { ...rest, anyOf: either };
  return { ...rest, nullable: true, ...(others.length === 1 ? { allOf: others } : { anyOf: others }) };
}
