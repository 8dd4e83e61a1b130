import { sql } from 'kysely';
import type { AppendStep } from '../../../flow/protocol-kind.ts';
import { asObject } from '../../../lib/json.ts';
import type { SignedIn } from '../../../lib/saml/assertion.ts';
import type { NameId } from '../../../lib/saml/name-id.ts';
import type { Query } from '../../../platform/db/database.ts';
import { orderedUuid } from '../../../platform/random.ts';
import { createAppendSteps } from '../../../source/append-steps.ts';

/** The identifiers of a session at the identity provider. A type, since plans are JSON. */
export type SessionFacts = { readonly nameId: NameId; readonly sessionIndex: string | null };

export const sessionFacts = ({ nameId, sessionIndex }: Pick<SignedIn, 'nameId' | 'sessionIndex'>): SessionFacts => ({
  nameId,
  sessionIndex,
});

/** Stores the identity provider's identifiers with a new session; all other steps are those of any source. */
export function createAppendSamlSteps(): AppendStep {
  const append = createAppendSteps();
  return (step, state, tx, call, registry) =>
    step.step === 'begin_session' ? beginSession(step, state, tx) : append(step, state, tx, call, registry);
}

async function beginSession(
  { content }: Parameters<AppendStep>[0],
  state: Parameters<AppendStep>[1],
  tx: Query,
): Promise<void> {
  const { session } = state.context;
  // A flow without a login stage begins none.
  if (typeof session !== 'string') return;
  const { nameId, sessionIndex = null } = asObject(content);
  const source = state.plan.source?.pk ?? null;
  await sql`delete from saml_source_sessions where session = ${session} and source = ${source}`.execute(tx);
  await sql`insert into saml_source_sessions (pk, session, source, name_id, session_index, content)
    values (${orderedUuid()}, ${session}, ${source}, ${asObject(nameId).value}, ${sessionIndex}, ${JSON.stringify(nameId)})`.execute(
    tx,
  );
}

/** The enabled source that a session came by, if it wants to know when the session ends. */
export async function sourceOfSession(
  query: Query,
  session: string,
): Promise<({ readonly source: string; readonly slug: string } & SessionFacts) | null> {
  const { rows } = await sql<{ source: string; slug: string; session_index: string | null; content: string }>`
    select t.source, s.slug, t.session_index, t.content from saml_source_sessions t
    join sources s on s.pk = t.source and s.enabled join source_saml k on k.pk = s.pk and coalesce(k.slo_url, '') <> ''
    where t.session = ${session} limit 1`.execute(query);
  const [row] = rows;
  return row
    ? { source: row.source, slug: row.slug, nameId: JSON.parse(row.content), sessionIndex: row.session_index }
    : null;
}

/** The sessions that an identity provider means; without an index all of that name. */
export async function sessionsNamed(
  query: Query,
  source: string,
  nameId: string,
  indexes: readonly string[],
): Promise<{ readonly session: string; readonly user: number }[]> {
  const chosen = indexes.length === 0 ? sql`` : sql` and t.session_index in (${sql.join(indexes)})`;
  const { rows } = await sql<{ session: string; user: number }>`select t.session, a."user" from saml_source_sessions t
    join authenticated_sessions a on a.pk = t.session
    where t.source = ${source} and t.name_id = ${nameId}${chosen}`.execute(query);
  return rows;
}
