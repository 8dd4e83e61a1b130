const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** Reads the OpenAPI document and lays its operations out as a list. */
export async function loadApi() {
  const response = await fetch('schema/?format=json', { headers: { accept: 'application/json' } });
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  const api = await response.json();
  const operations = Object.entries(api.paths).flatMap(([path, item]) =>
    methods.filter((method) => item[method]).map((method) => ({ ...item[method], method, path })),
  );
  return {
    title: api.info.title,
    version: api.info.version,
    base: api.servers[0].url,
    operations,
    byId: new Map(operations.map((operation) => [operation.operationId, operation])),
    schemas: api.components.schemas,
  };
}

export const nameOfReference = (schema) => schema?.$ref?.split('/').at(-1);

/** The schema itself where there is only a reference to it. */
export function resolve(api, schema) {
  const name = nameOfReference(schema);
  return name ? api.schemas[name] : (schema ?? {});
}

/** What may stand here besides null. */
export function withoutNull(schema) {
  const others = schema.anyOf?.filter((option) => option.type !== 'null');
  return others?.length === 1 ? { ...schema, anyOf: undefined, ...others[0] } : schema;
}

export const isNullable = (schema) =>
  Boolean(schema.anyOf?.some((option) => option.type === 'null') || [schema.type].flat().includes('null'));

/** `text (uuid) or null`, `list of Group`. */
export function typeName(api, schema) {
  const plain = withoutNull(schema);
  const name = nameOfReference(plain);
  if (name) return isNullable(schema) ? `${name} or null` : name;
  const options = plain.anyOf ?? plain.oneOf;
  if (options) return options.map((option) => typeName(api, option)).join(' or ');
  const said = plainTypeName(api, plain);
  return isNullable(schema) ? `${said} or null` : said;
}

function plainTypeName(api, plain) {
  const types = [plain.type ?? 'any'].flat().filter((type) => type !== 'null');
  const [type] = types;
  if (type === 'array') return `list of ${typeName(api, plain.items ?? {})}`;
  return plain.format ? `${type} (${plain.format})` : types.join(' or ');
}

/** The JSON body that an answer or a request is documented with. */
export function bodySchema(content) {
  const [type, media] = Object.entries(content ?? {})[0] ?? [];
  return media ? { type, schema: media.schema } : null;
}

/** Whether every word stands somewhere in what is said of the operation. */
export function matches(operation, words) {
  const text =
    `${operation.method} ${operation.path} ${operation.operationId} ${operation.summary} ${operation.tags}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
