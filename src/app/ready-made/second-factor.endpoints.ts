import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { Invalid } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import { arrayOf, objectSchema, stringSchema, uuidSchema } from '../../resource/document/json-schema.ts';
import { defineEndpoint, type Endpoint, type EndpointInput } from '../../resource/endpoint.ts';
import { uuid } from '../../resource/fields/scalar.ts';
import { list } from '../../resource/fields/structured.ts';
import { choice } from '../../resource/fields/text.ts';
import { checkIfMatch } from '../../resource/read/etag.ts';
import { usesOf } from '../../resource/read/used-by.ts';
import { createMake } from '../bootstrap/steps.ts';
import type { World } from '../world.ts';
import { shownReadyMade } from './ready-made.endpoints.ts';
import { readSecondFactor, requireSecondFactor, scopes, signInFlows } from './second-factor.ts';
import { createWrites } from './writes.ts';

const path = '/flows/second_factor/';
const schema = objectSchema({
  require: {
    type: 'string',
    enum: [...scopes, 'custom'],
    description: 'Of whom sign-in requires a second factor; `custom` if the flows differ or were changed by hand.',
  },
  groups: { ...arrayOf(uuidSchema), description: 'The groups whose members need one.' },
  places: {
    ...arrayOf(objectSchema({ name: stringSchema, path: stringSchema })),
    description: 'The flows by which brands and sources sign people in.',
  },
});

const maxGroups = 50;

const ofTheFlow: ReadonlySet<string> = new Set(['flowstagebinding', 'policybinding']);

/** What refers to each flow, without its own steps and bindings. */
async function usesOfFlows({ call, engine }: Pick<EndpointInput, 'call' | 'engine'>) {
  const { rows } = await sql<{ pk: string; slug: string }>`select pk, slug from flows order by slug`.execute(
    call.db.read,
  );
  const flows = rows.map(({ pk }) => ({ pk, kind: null }));
  const uses = await usesOf(engine, engine.registry.require('svc_flows.flow'), flows, call);
  return rows.map(({ pk, slug }) => ({
    slug,
    used_by: (uses.get(pk) ?? [])
      .filter(({ model_name }) => !ofTheFlow.has(String(model_name)))
      .map(({ name }) => ({ name: String(name) })),
  }));
}

/** Of whom sign-in requires a second factor: one switch instead of a stage and gates in each flow. */
export const secondFactorEndpoints = (world: World): readonly Endpoint[] => [
  defineEndpoint({
    id: 'flows_switches_retrieve',
    method: 'GET',
    path: '/flows/switches/',
    summary: 'Get all switches of sign-in, for one page',
    access: 'superuser',
    answer: {
      status: 200,
      schema: objectSchema({
        ready_made: arrayOf({ $ref: '#/components/schemas/ReadyMadeFlow' }),
        second_factor: { $ref: '#/components/schemas/SecondFactorRequirement' },
        uses: {
          ...arrayOf(objectSchema({ slug: stringSchema, used_by: arrayOf(objectSchema({ name: stringSchema })) })),
          description: 'The brands, stages, providers and sources that use each flow.',
        },
      }),
      schemaName: 'SignInSwitches',
    },
    run: async (input) => ({
      ready_made: await shownReadyMade(input),
      second_factor: await shown(input.tx),
      uses: await usesOfFlows(input),
    }),
  }),
  defineEndpoint({
    id: 'flows_second_factor_retrieve',
    method: 'GET',
    path,
    summary: 'Get of whom sign-in requires a second factor',
    access: 'superuser',
    answer: { status: 200, schema: { $ref: '#/components/schemas/SecondFactorRequirement' } },
    isTagged: true,
    run: ({ tx }) => shown(tx),
  }),
  defineEndpoint({
    id: 'flows_second_factor_update',
    method: 'PUT',
    path,
    summary: 'Require a second factor at sign-in',
    access: 'superuser',
    body: {
      require: choice(scopes, { help: 'Of whom sign-in requires a second factor.' }),
      groups: list(uuid(), { default: () => [], help: 'The groups whose members need one, for `groups`.' }),
    },
    bodySchema: 'SecondFactorRequirementRequest',
    answer: { status: 200, schema, schemaName: 'SecondFactorRequirement' },
    isTagged: true,
    async run({ call, engine, tx, values }) {
      await checkIfMatch(call, () => shown(tx));
      const groups = values.require === 'groups' ? [...new Set(values.groups)] : [];
      if (values.require === 'groups') await checkGroups(tx, groups);
      const require = scopes.find((one) => one === values.require) ?? 'none';
      const wanted = { require, groups: groups.toSorted() };
      const present = await readSecondFactor(tx, await signInFlows(tx));
      if (isDeepStrictEqual(present, wanted)) return shown(tx);
      const make = createMake(tx, world, engine, call);
      await requireSecondFactor(make, createWrites({ call, engine, tx }), wanted);
      return shown(tx);
    },
  }),
];

async function shown(tx: Query) {
  const flows = await signInFlows(tx);
  const places = flows.map(({ name, slug }) => ({ name, path: `/flows/instances/${slug}/` }));
  return { ...(await readSecondFactor(tx, flows)), places };
}

async function checkGroups(tx: Query, groups: readonly string[]): Promise<void> {
  if (groups.length === 0) throw Invalid.field('groups', 'Choose at least one group.');
  if (groups.length > maxGroups) throw Invalid.field('groups', `Choose at most ${maxGroups} groups.`);
  const { rows } = await sql`select pk from groups where pk in (${sql.join(groups)})`.execute(tx);
  if (rows.length < groups.length) throw Invalid.field('groups', 'One of the groups does not exist.');
}
