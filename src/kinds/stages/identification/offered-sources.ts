import { sql } from 'kysely';
import type { PageNeeds } from '../../../flow/page-needs.ts';
import type { Query } from '../../../platform/db/database.ts';
import type { PolicyEngine } from '../../../policy/engine.ts';
import type { Call } from '../../../resource/call.ts';
import type { Row } from '../../../resource/fields/field.ts';
import { type JsonSchema, objectSchema, orNull, stringSchema } from '../../../resource/json-schema.ts';
import { loadSources } from '../../../source/load-source.ts';
import { needsOfSources } from '../../../source/page-needs-of-sources.ts';
import { mayBegin } from '../../../source/sign-in.ts';
import type { SourceKind } from '../../../source/source-kind.ts';

/** What the screen shows of each source. */
export function offeredSchema(kinds: readonly SourceKind[]): JsonSchema {
  const screens = kinds.flatMap(({ screen }) =>
    screen ? [objectSchema({ component: stringSchema, ...screen.members })] : [],
  );
  const [only] = screens;
  return objectSchema({
    name: stringSchema,
    icon_url: orNull(stringSchema),
    challenge: only && screens.length === 1 ? only : { anyOf: screens },
  });
}

/** The selected sources that are enabled and permitted, ordered by name. */
export async function offeredSources(
  { sourceKinds, policies }: { readonly sourceKinds: readonly SourceKind[]; readonly policies: PolicyEngine },
  chosen: readonly string[],
  call: Call,
): Promise<Row[]> {
  const offered: { name: string; icon_url: unknown; challenge: Row }[] = [];
  for (const { resource, screen, iconOf } of sourceKinds) {
    if (!screen) continue;
    const sources = await loadSources(
      resource,
      (row) => sql`${row.col('enabled')} and ${row.col('pk')} in (${sql.join(chosen)})`,
      call,
      call.db.read,
    );
    const results = await mayBegin(policies, sources, call);
    for (const source of sources.filter(({ pk }) => results.get(pk)?.passing)) {
      const challenge = { component: screen.component, ...screen.challenge(source) };
      offered.push({ name: source.name, icon_url: iconOf?.(source) ?? source.icon ?? null, challenge });
    }
  }
  return offered.sort((one, other) => (one.name < other.name ? -1 : Number(one.name > other.name)));
}

export async function needsOfOffered(
  kinds: readonly SourceKind[],
  stages: readonly string[],
  query: Query,
): Promise<PageNeeds> {
  const { rows } = await sql<{ pk: string; kind: string }>`select distinct s.pk, s.kind from sources s
    join stage_identification_sources c on c.source = s.pk where c.stage in (${sql.join(stages)})`.execute(query);
  return needsOfSources(kinds, rows, query);
}
