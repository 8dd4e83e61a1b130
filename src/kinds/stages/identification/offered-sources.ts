import { sql } from 'kysely';
import type { PageNeeds } from '../../../flow/page-needs.ts';
import type { Query } from '../../../platform/db/database.ts';
import { queryCache } from '../../../platform/db/query-cache.ts';
import type { PolicyEngine } from '../../../policy/engine.ts';
import type { Call } from '../../../resource/call.ts';
import { type JsonSchema, objectSchema, orNull, stringSchema } from '../../../resource/document/json-schema.ts';
import type { Row, RowAlias } from '../../../resource/fields/field.ts';
import { loadSources } from '../../../source/load-source.ts';
import { needsOfSources } from '../../../source/page-needs-of-sources.ts';
import { filterAllowedSources, type SourcePolicyTarget } from '../../../source/sign-in.ts';
import type { SourceKind } from '../../../source/source-kind.ts';

/** What the screen shows of each source. */
export function offeredSchema(kinds: readonly SourceKind[]): JsonSchema {
  const screens = kinds.flatMap(({ screen }) =>
    screen ? [objectSchema({ component: { type: 'string', enum: [screen.component] }, ...screen.members })] : [],
  );
  const [only] = screens;
  return objectSchema({
    name: stringSchema,
    icon_url: orNull(stringSchema),
    challenge: only && screens.length === 1 ? only : { anyOf: screens },
  });
}

/** The selected sources that are enabled, ready and permitted, ordered by name. */
export async function offeredSources(
  { sourceKinds, policies }: { readonly sourceKinds: readonly SourceKind[]; readonly policies: PolicyEngine },
  chosen: readonly string[],
  call: Call,
): Promise<Row[]> {
  const enabled = await cache.read(call.db, chosen.join(), (query) => loadEnabled(sourceKinds, chosen, call, query));
  const results = await filterAllowedSources(policies, enabled, call);
  return enabled.filter(({ pk }) => results.get(pk)?.passing).map(({ shown }) => shown);
}

/** A source, and what the screen shows of it. */
type Offered = SourcePolicyTarget & { readonly shown: Row };

const cache = queryCache<readonly Offered[]>('offered sources');

async function loadEnabled(
  kinds: readonly SourceKind[],
  chosen: readonly string[],
  call: Call,
  query: Query,
): Promise<Offered[]> {
  const offered: Offered[] = [];
  for (const { resource, screen, iconOf, isReady = () => true } of kinds) {
    if (!screen) continue;
    const isOffered = (row: RowAlias) => sql`${row.col('enabled')} and ${row.col('pk')} in (${sql.join(chosen)})`;
    for (const source of await loadSources(resource, isOffered, call, query)) {
      if (!isReady(source)) continue;
      const { pk, slug, name, policy_engine_mode } = source;
      const challenge = { component: screen.component, ...screen.challenge(source) };
      const shown = { name, icon_url: iconOf?.(source) ?? source.icon ?? null, challenge };
      offered.push({ pk, slug, name, policy_engine_mode, shown });
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
