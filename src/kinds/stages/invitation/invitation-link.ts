import { sql } from 'kysely';
import { flowPage } from '../../../flow/executor/challenge.ts';
import type { Query } from '../../../platform/db/database.ts';
import { randomText } from '../../../platform/random.ts';

export const invitationModel = 'svc_stages_invitation.invitation';

/** Letters and digits only: mail clients cut off trailing punctuation. */
export const newToken = (): string => randomText(43);

export const invitationLink = (publicUrl: string, slug: string, token: string): string =>
  `${publicUrl}${flowPage(slug)}?itoken=${token}`;

/** The flow that the link opens: the invitation's own, else one with an invitation stage, the built-in one first. */
export async function slugOfFlow(query: Query, flow: string | null): Promise<string | null> {
  const which = flow === null ? asksForInvitations : sql`f.pk = ${flow}`;
  const { rows } = await sql<{ slug: string }>`select f.slug from flows f where ${which}
    order by f.slug <> 'default-enrollment-flow', f.slug limit 1`.execute(query);
  return rows[0]?.slug ?? null;
}

const asksForInvitations = sql`f.designation = 'enrollment' and f.enabled and exists (select 1 from flow_stage_bindings b
  join stage_invitation s on s.pk = b.stage where b.target = f.pk)`;
