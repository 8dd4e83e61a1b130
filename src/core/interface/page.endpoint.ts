import { memoizeWeakly } from '../../lib/memoize.ts';
import { Invalid, Problem } from '../../lib/problem.ts';
import { checkCredential } from '../../resource/access/credentials.ts';
import { type Call, requireActor } from '../../resource/call.ts';
import {
  arrayOf,
  booleanSchema,
  integerSchema,
  type JsonSchema,
  objectSchema,
  orNull,
  stringSchema,
} from '../../resource/document/json-schema.ts';
import type { OpenApiDocument } from '../../resource/document/openapi-types.ts';
import { defineEndpoint, type Endpoint } from '../../resource/endpoint.ts';
import type { Engine } from '../../resource/resource.ts';
import { checkQuery } from '../../resource/write/flags.ts';
import { maxKeys, namedObjectSchema, type ReadByKeys } from './named-objects.ts';
import { createFindReadOperation, type ReadOperation } from './page-operation.ts';
import { referencesIn } from './references.ts';

interface Dependencies {
  readonly readByKeys: ReadByKeys;
  /** The part of the OpenAPI document about a resource. */
  document(path: string): OpenApiDocument | null;
  /** Operations without rows that pages read together with lists and objects. */
  readonly endpoints: readonly Endpoint[];
}

const maxPaths = 5;

/** All that a page reads, in one request: each part requires the rights of its operation. */
export function pageEndpoint({ readByKeys, document, endpoints }: Dependencies): Endpoint {
  const findingBy = memoizeWeakly((engine: Engine) => createFindReadOperation(engine, endpoints));
  return defineEndpoint({
    id: 'admin_page_retrieve',
    method: 'GET',
    path: '/admin/page/',
    summary: 'Read lists and objects with the names of what they refer to',
    access: 'authenticated',
    query: [
      {
        name: 'path',
        schema: arrayOf(stringSchema),
        description:
          `Paths of lists, objects and what is read below them, with their queries: \`/core/users/?search=dana\`; ` +
          `${maxPaths} at most. Parameters that an operation does not know are left out.`,
      },
      {
        name: 'document',
        schema: stringSchema,
        description: 'The path of a resource, such as `/core/users/`: adds the part of the OpenAPI document about it.',
      },
    ],
    answer: { status: 200, schemaName: 'AdminPage', schema: pageSchema },
    async run({ call, engine }) {
      const { query } = call.request;
      const paths = query.getAll('path').filter(Boolean);
      if (paths.length === 0 || paths.length > maxPaths)
        throw Invalid.field('path', `Enter one to ${maxPaths} paths of lists or objects.`);
      const find = findingBy(engine);
      const answers = [];
      const keys = new Map<string, Set<string>>();
      for (const path of paths) {
        const answer = await read(find(path), call);
        const { reading, ...shown } = answer;
        answers.push(shown);
        if (reading) addKeys(keys, referencesIn(answer.body, reading, engine.registry, requireActor(call)));
      }
      const requested = [...keys].map(([model, found]) => [model, [...found]] as const);
      const under = query.get('document');
      return {
        answers,
        names: await readByKeys(requested, call, engine),
        document: under ? document(under) : null,
      };
    },
  });
}

const anything: JsonSchema = { description: 'What a GET of the path answers, or why it is refused.' };
const pageSchema: JsonSchema = objectSchema({
  answers: {
    ...arrayOf(
      objectSchema({
        ...{ status: integerSchema, body: anything, etag: orNull(stringSchema) },
        is_at_least: { ...booleanSchema, description: 'Whether a list has more rows than `pagination.count`.' },
      }),
    ),
    description: 'In the order of the paths.',
  },
  names: { ...arrayOf(namedObjectSchema), description: 'The objects themselves, and what they or the rows refer to.' },
  document: orNull({ type: 'object', additionalProperties: true }),
});

interface PartOfPage {
  readonly status: number;
  readonly body: unknown;
  readonly etag: string | null;
  readonly is_at_least: boolean;
  readonly reading: ReadOperation | null;
}

/** Reads one path. An error is a result, too: the page shows its other parts. */
async function read(reading: ReadOperation | null, call: Call): Promise<PartOfPage> {
  try {
    if (!reading) throw new Problem('not_found');
    const { operation, params, query } = reading;
    checkCredential(operation, call);
    checkQuery(operation, query);
    // Conditions are about this response, not about its parts.
    const header = (name: string) => (name === 'if-none-match' ? undefined : call.request.header(name));
    const reply = await operation.handle({ ...call, params, request: { ...call.request, query, header } });
    const body: unknown = typeof reply.body === 'string' ? JSON.parse(reply.body) : reply.body;
    const etag = reply.headers?.etag;
    const is_at_least = reply.headers?.['gatehouse-count'] === 'at-least';
    return { status: reply.status, body, etag: typeof etag === 'string' ? etag : null, is_at_least, reading };
  } catch (error) {
    if (!(error instanceof Problem || error instanceof Invalid)) throw error;
    return { status: error.status, body: error.body(), etag: null, is_at_least: false, reading: null };
  }
}

function addKeys(keys: Map<string, Set<string>>, more: ReadonlyMap<string, readonly string[]>): void {
  let count = [...keys.values()].reduce((sum, { size }) => sum + size, 0);
  for (const [model, found] of more) {
    const known = keys.get(model) ?? new Set<string>();
    keys.set(model, known);
    for (const key of found) {
      if (known.has(key) || count >= maxKeys) continue;
      known.add(key);
      count += 1;
    }
  }
}
