import { sql } from 'kysely';
import { Invalid, Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import { checkMayAdd, isVisible, mayAdd } from '../../resource/access/access.ts';
import type { CorrectRights, RightsInput } from '../../resource/access/visibility.ts';
import type { Call } from '../../resource/call.ts';
import { actionOn } from '../../resource/define.ts';
import { isWritable, type Row } from '../../resource/fields/field.ts';
import { slug, text } from '../../resource/fields/text.ts';
import { selectStored } from '../../resource/read/stored.ts';
import type { Engine, Registry, Resource } from '../../resource/resource.ts';
import { createRow, showByKey } from '../../resource/write/write-row.ts';
import { applicationModel, bindingModel, providerModel } from './models.ts';

interface Duplicated {
  readonly pk: string;
  readonly provider: number | null;
}

/** Copies an application with its provider and its bindings. The copy gets a client ID and secrets of its own. */
export const duplicateAction = actionOn<Duplicated>()({
  name: 'duplicate',
  on: 'row',
  method: 'POST',
  page: { noButton: 'The page of an application offers it.' },
  summary: 'Copy an application with its provider and bindings',
  access: 'visible',
  body: {
    name: text({ help: 'What the copy is called; its provider too.' }),
    slug: slug({ help: 'The slug of the copy.' }),
  },
  bodySchema: 'ApplicationDuplicateRequest',
  answer: { status: 201, schema: 'self' },
  async run({ call, engine, tx, row, values }) {
    const { registry } = engine;
    const applications = registry.require(applicationModel);
    checkMayAdd(applications, call);
    const stored = await engine.stored(applications, call)(call, tx, row.pk);
    const provider = row.provider === null ? null : await copyProvider(row.provider, values.name, { call, engine, tx });
    const body = { ...copyable(applications, stored ?? {}), ...values, provider, backchannel_providers: [] };
    const { pk } = await createRow({ engine, resource: applications, call, tx }, body);
    // An upload may be the image of several objects.
    await sql`update applications set meta_icon = ${stored?.meta_icon ?? ''} where pk = ${pk}`.execute(tx);
    await copyBindings(row.pk, pk, { call, engine, tx });
    return showByKey({ engine, resource: applications, call, tx }, pk);
  },
});

interface Copying {
  readonly call: Call;
  readonly engine: Engine;
  readonly tx: Query;
}

async function copyProvider(pk: number, name: string, { call, engine, tx }: Copying): Promise<unknown> {
  const { registry } = engine;
  const family = registry.require(providerModel);
  const { rows } = await sql<{ kind: string }>`select ${family.row().col('kind')} as kind from ${family.from()}
    where ${family.row().col('pk')} = ${pk}`.execute(tx);
  const kind = registry.require(rows[0]?.kind ?? '');
  checkMayAdd(kind, call);
  if (!(await isVisible(kind, pk, call, registry))) throw Problem.lacks(kind.permission('view'));
  const stored = await engine.stored(kind, call)(call, tx, pk);
  try {
    return (
      await createRow({ engine, resource: kind, call, tx }, { ...copyable(kind, stored ?? {}), name }, { isCopy: true })
    ).pk;
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    // The request has no members of the provider, so the error names the provider.
    const reasons = Object.entries(error.complaints).map(
      ([member, texts]) => `${member}: ${Object.values(texts).flat()}`,
    );
    throw Invalid.whole(`The provider cannot be copied. ${reasons.join(' ')}`);
  }
}

/** Without bindings the copy would be open to all users, so they are copied or the request is rejected. */
async function copyBindings(from: string, to: string | number, { call, engine, tx }: Copying): Promise<void> {
  const bindings = engine.registry.require(bindingModel);
  const found = await selectStored(bindings, sql`${bindings.row().col('target')} = ${from}`, call, tx);
  if (found.length > 0) checkMayAdd(bindings, call);
  for (const read of found) {
    await createRow(
      { engine, resource: bindings, call, tx },
      { ...copyable(bindings, read()), target: to },
      { isCopy: true },
    );
  }
}

/** Adds the right to duplicate an application, for its page. */
export async function duplicateRight({ actor, keys, registry, query }: RightsInput<Registry>): Promise<CorrectRights> {
  if (actor.isSuperuser) return (_, may) => ({ may: [...may, 'duplicate'] });
  if (!mayAdd(registry.require(applicationModel), actor) || keys.length === 0) return (_, may) => ({ may });
  const providers = registry.require(providerModel);
  const bindings = registry.require(bindingModel);
  const provider = providers.row(1);
  const { rows } = await sql<{ pk: string; kind: string | null; isBound: unknown }>`select a.pk,
      (select ${provider.col('kind')} from ${providers.from(1)} where ${provider.col('pk')} = a.provider) as kind,
      exists (select 1 from ${bindings.from(1)} where ${bindings.row(1).col('target')} = a.pk) as "isBound"
    from applications a where a.pk in (${sql.join(keys)})`.execute(query);
  const copied = ({ kind, isBound }: (typeof rows)[number]) => [
    ...(kind === null ? [] : [registry.require(kind)]),
    ...(isBound ? [bindings] : []),
  ];
  const open = new Set(
    rows.filter((row) => copied(row).every((resource) => mayAdd(resource, actor))).map(({ pk }) => pk),
  );
  return (key, may) => ({ may: open.has(String(key)) ? [...may, 'duplicate'] : may });
}

/** The values that a copy shares with its original: no secrets, no unique values. */
function copyable({ allFields }: Resource, stored: Row): Row {
  const names = Object.keys(allFields).filter((name) => {
    const field = allFields[name];
    return field && isWritable(field) && !field.secret && !field.unique && stored[name] !== undefined;
  });
  return Object.fromEntries(names.map((name) => [name, stored[name]]));
}
