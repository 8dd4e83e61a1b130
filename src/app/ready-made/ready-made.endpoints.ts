import { type RawBuilder, sql } from 'kysely';
import { Invalid, Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import { arrayOf, booleanSchema, objectSchema, orNull, stringSchema } from '../../resource/document/json-schema.ts';
import { defineEndpoint, type Endpoint, type EndpointInput } from '../../resource/endpoint.ts';
import { boolean } from '../../resource/fields/scalar.ts';
import { selectOne } from '../../resource/read/read.ts';
import { updateRow } from '../../resource/write/write-row.ts';
import { enrollmentFlow } from '../bootstrap/enrollment.ts';
import { createMake } from '../bootstrap/steps.ts';
import type { World } from '../world.ts';
import { type ReadyMade, readyMade } from './ready-made.ts';
import { addSignUpProof, hasSignUpProof, removeSignUpProof } from './sign-up-proof.ts';
import { createWrites, type SwitchInput } from './writes.ts';

const proof = 'proof';
const nameSchema = { type: 'string', enum: [...readyMade.map(({ name }) => name), proof] } as const;
const schema = objectSchema({
  name: nameSchema,
  is_on: booleanSchema,
  flow: { ...orNull(stringSchema), description: 'The slug of the flow; null while it is not installed.' },
  places: {
    ...arrayOf(objectSchema({ name: stringSchema, path: stringSchema })),
    description: 'What links the flow now, or would if it were turned on.',
  },
});

type Input = SwitchInput;

/** Flows that can be turned on and off. Turning one off unlinks it and leaves the flow as it is. */
export const readyMadeEndpoints = (world: World): readonly Endpoint[] => [
  defineEndpoint({
    id: 'flows_ready_made_list',
    method: 'GET',
    path: '/flows/ready_made/',
    summary: 'List ready-made flows, and whether they are on',
    access: 'superuser',
    answer: { status: 200, schema: arrayOf({ $ref: '#/components/schemas/ReadyMadeFlow' }) },
    run: shownReadyMade,
  }),
  defineEndpoint({
    id: 'flows_ready_made_update',
    method: 'PUT',
    path: '/flows/ready_made/{name}/',
    summary: 'Turn a ready-made flow on or off',
    access: 'superuser',
    params: { name: nameSchema },
    body: { is_on: boolean({ help: 'Whether people can use the flow.' }) },
    bodySchema: 'ReadyMadeFlowRequest',
    answer: { status: 200, schema, schemaName: 'ReadyMadeFlow' },
    async run(input) {
      if (input.call.params.name === proof) return turnProof(world, input);
      const one = readyMade.find(({ name }) => name === input.call.params.name);
      if (!one) throw new Problem('not_found');
      if (input.values.is_on) await turnOn(one, world, input);
      else await turnOff(one, input);
      return stateOf(one, input);
    },
  }),
];

export async function shownReadyMade(input: Input) {
  const shown = [];
  for (const one of readyMade) shown.push(await stateOf(one, input));
  return [...shown, await stateOfProof(input)];
}

/** Adds a step to the invitation enrollment flow instead of a separate flow. */
async function stateOfProof({ tx }: Input) {
  const { rows } = await sql<{ slug: string; name: string }>`select slug, name from flows
    where slug = ${enrollmentFlow}`.execute(tx);
  return {
    name: proof,
    is_on: await hasSignUpProof(tx),
    flow: rows[0]?.slug ?? null,
    places: rows.map(({ slug, name }) => ({ name, path: `/flows/instances/${slug}/` })),
  };
}

async function turnProof(world: World, input: Input & Pick<EndpointInput, 'values'>) {
  const { tx, engine, call } = input;
  const isOn = await hasSignUpProof(tx);
  if (input.values.is_on && !isOn) await addSignUpProof(createMake(tx, world, engine, call), createWrites(input));
  if (!input.values.is_on && isOn) await removeSignUpProof(tx, createWrites(input));
  return stateOfProof(input);
}

async function turnOn(one: ReadyMade, world: World, input: Input): Promise<void> {
  const { call, engine, tx } = input;
  // What people changed of an installed flow stays.
  if ((await flowOf(one, tx)) === null) await one.install(createMake(tx, world, engine, call));
  const flow = await flowOf(one, tx);
  if (flow === null) throw new Error(`${one.slug} is missing right after it was installed`);
  if (one.isClosedWhenOff) await letIn('require_unauthenticated', flow, input);
  await setMember(one, one.linkable(flow), one.on(flow), input);
  if ((await keysWhere(one, one.linked(flow), input)).length === 0) throw Invalid.whole(one.obstacle);
}

async function turnOff(one: ReadyMade, input: Input): Promise<void> {
  const flow = await flowOf(one, input.tx);
  if (flow === null) return;
  if (one.isClosedWhenOff) await letIn('require_superuser', flow, input);
  await setMember(one, one.linked(flow), await valueWhenOff(one, input), input);
}

async function valueWhenOff({ off, instead }: ReadyMade, { tx }: Input): Promise<string | null> {
  if (instead === undefined) return off;
  const flow = await flowOf({ slug: instead }, tx);
  if (flow === null) throw Invalid.whole(`The flow "${instead}", which would take its place, is missing.`);
  return flow;
}

const letIn = (authentication: string, flow: string, input: Input): Promise<void> =>
  setMember(
    { model: 'svc_flows.flow', member: 'authentication' },
    sql`t.pk = ${flow} and t.authentication <> ${authentication}`,
    authentication,
    input,
  );

async function setMember(
  one: Pick<ReadyMade, 'model' | 'member'>,
  where: RawBuilder<unknown>,
  value: string | null,
  input: Input,
) {
  const { call, engine, tx } = input;
  const resource = engine.registry.require(one.model);
  for (const { pk } of await keysWhere(one, where, input)) {
    const found = await selectOne({ engine, resource, call, tx }, [sql`${resource.row().col('pk')} = ${pk}`]);
    if (found) await updateRow({ engine, resource, call, tx }, pk, found.values, { [one.member]: value }, 'patch');
  }
}

async function stateOf(one: ReadyMade, input: Input) {
  const { registry } = input.engine;
  const flow = await flowOf(one, input.tx);
  const linked = flow === null ? [] : await keysWhere(one, one.linked(flow), input);
  const places = linked.length > 0 ? linked : await keysWhere(one, one.linkable(flow), input);
  const { path } = registry.require(one.model);
  return {
    name: one.name,
    is_on: linked.length > 0,
    flow: flow === null ? null : one.slug,
    places: places.map(({ key, name }) => ({ name, path: `${path}${key}/` })),
  };
}

async function flowOf({ slug }: Pick<ReadyMade, 'slug'>, tx: Query): Promise<string | null> {
  const { rows } = await sql<{ pk: string }>`select pk from flows where slug = ${slug}`.execute(tx);
  return rows[0]?.pk ?? null;
}

interface Place {
  readonly pk: string;
  /** As paths have it. */
  readonly key: string;
  readonly name: string;
}

async function keysWhere(
  { model }: Pick<ReadyMade, 'model'>,
  where: RawBuilder<unknown>,
  { engine, tx }: Input,
): Promise<Place[]> {
  const resource = engine.registry.require(model);
  const row = resource.row();
  const name = 'domain' in resource.allFields ? 'domain' : 'name';
  const { rows } = await sql<Place>`select ${row.col('pk')} as pk, ${row.col(resource.lookup)} as key,
    ${row.col(name)} as name from ${resource.from()} where ${where} order by ${row.col(name)}`.execute(tx);
  return rows;
}
