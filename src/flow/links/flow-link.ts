import { sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import { type InstanceKey, sealContext } from '../../platform/keys.ts';
import { randomText, randomUuid } from '../../platform/random.ts';
import { flowPage } from '../executor/challenge.ts';
import type { FlowState } from '../executor/flow-state.ts';
import type { FlowPlan } from '../plan.ts';

/** Where a link enters a flow: at its start, or at the state of an earlier walk. */
export type LinkContent = FlowPlan | FlowState;

interface NewLink {
  readonly flow: string;
  /** The user of the link. Null: no account yet, or a decoy that is never sent (timing attack). */
  readonly user: number | null;
  readonly content: LinkContent;
  readonly expires: string;
  readonly now: string;
}

export interface FlowLink {
  readonly pk: string;
  readonly flow: string;
  readonly user: number | null;
  readonly content: LinkContent;
  /** When the password was set that the user has. */
  readonly password_set: string | null;
}

const sealedFor = (pk: string) => sealContext('flow_links', 'content', pk);

/** Stores a link's content. The link is unusable until it gets a token. */
export async function storeLink(tx: Query, key: InstanceKey, link: NewLink): Promise<string> {
  const { flow, user, content, expires, now } = link;
  const pk = randomUuid();
  await sql`insert into flow_links (pk, flow, "user", content, created, expires) values (${pk}, ${flow}, ${user},
    ${key.box.seal(JSON.stringify(content), sealedFor(pk))}, ${now}, ${expires})`.execute(tx);
  return pk;
}

/** Gives a link a new token, replacing any earlier one; only the hash is stored. */
export async function createLinkToken(tx: Query, key: InstanceKey, pk: string): Promise<string> {
  // Letters and digits only: mail clients cut off trailing punctuation.
  const token = randomText(43);
  await sql`update flow_links set token_hash = ${key.hash(token)} where pk = ${pk}`.execute(tx);
  return token;
}

/** The URL of a link. Uses the configured origin, because the request's host can be forged. */
export const addressOfLink = (publicUrl: string, slug: string, token: string): string =>
  `${publicUrl}${flowPage(slug)}?flow_token=${token}`;

/** What was stored with a link. */
export const contentOf = (key: InstanceKey, { pk, content }: { readonly pk: string; readonly content: string }) =>
  JSON.parse(key.box.open(content, sealedFor(pk))) as LinkContent;

interface LinkRow extends Omit<FlowLink, 'content'> {
  readonly content: string;
  /** Null if there is no user. */
  readonly is_active: boolean | null;
}

/** The valid link for a token in this flow. A password change voids it. */
export async function findLink(
  query: Query,
  key: InstanceKey,
  token: string,
  flow: string,
  now: string,
): Promise<FlowLink | null> {
  const { rows } = await sql<LinkRow>`select l.pk, l.flow, l."user", l.content, u.is_active,
      u.password_change_date as password_set from flow_links l
    left join users u on u.pk = l."user" where l.token_hash = ${key.hash(token)} and l.flow = ${flow} and l.expires > ${now}
      and (l."user" is null or u.password_change_date <= l.created)`.execute(query);
  const row = rows[0];
  if (!row) return null;
  const content = contentOf(key, row);
  // An inactive user created on this walk may be waiting for activation; other inactive users stay out.
  const isWaiting = 'context' in content && content.context.created_user === row.user;
  return row.user === null || row.is_active || isWaiting
    ? { pk: row.pk, flow, user: row.user, content, password_set: row.password_set }
    : null;
}

/** Consumes a link and all others for the same person and flow. False if it was already used. */
export async function consumeLink(tx: Query, { pk, flow, user }: FlowLink): Promise<boolean> {
  const { rows } = await sql`delete from flow_links where pk = ${pk} returning pk`.execute(tx);
  if (rows.length === 0) return false;
  await sql`delete from flow_links where flow = ${flow} and "user" = ${user}`.execute(tx);
  return true;
}
