import { sql } from 'kysely';
import type { EventMessages } from '../core/event/messages.ts';
import type { Database, Query } from '../platform/db/database.ts';
import { queryCache } from '../platform/db/query-cache.ts';
import type { EventFacts, StoredTransport, TransportKind } from './transport-kind.ts';

type EventRow = Omit<EventFacts, 'context' | 'user' | 'brand'> & Record<'context' | 'user' | 'brand', string>;

/** Events by key, in order, without deleted ones. */
export async function loadEvents(query: Query, pks: readonly string[]): Promise<EventFacts[]> {
  if (pks.length === 0) return [];
  const { rows } = await sql<EventRow>`select pk, action, app, context, "user", client_ip, created, brand from events
    where pk in (${sql.join(pks)}) order by created, pk`.execute(query);
  return rows.map((row) => ({
    ...row,
    context: JSON.parse(row.context) ?? {},
    user: JSON.parse(row.user) ?? {},
    brand: JSON.parse(row.brand),
  }));
}

/** What the sentence of an event in another language is made of. */
export async function loadMessages(query: Query, event: string): Promise<EventMessages | null> {
  const { rows } = await sql<{ messages: string | null }>`select messages from events where pk = ${event}`.execute(
    query,
  );
  return JSON.parse(rows[0]?.messages ?? 'null');
}

export async function loadTransport(query: Query, pk: string): Promise<StoredTransport | null> {
  const { rows } = await sql<StoredTransport>`select t.pk, t.name, t.mode, t.webhook_url, m.expression
    from notification_transports t left join property_mappings m on m.pk = t.webhook_mapping where t.pk = ${pk}`.execute(
    query,
  );
  return rows[0] ?? null;
}

export interface ActiveRule {
  readonly pk: string;
  readonly severity: string;
  readonly group: string;
}

export interface ActiveRules {
  readonly rules: readonly ActiveRule[];
  readonly pks: readonly string[];
}

const cache = queryCache<ActiveRules>('notification rules');

/** Rules with bindings and recipients: others never fire. */
export const loadRules = (db: Database): Promise<ActiveRules> =>
  cache.read(db, 'active', async (query) => {
    const { rows } = await sql<ActiveRule>`select r.pk, r.severity, r."group" from notification_rules r
      where r."group" is not null
        and exists (select 1 from policy_bindings b where b.target = r.pk and b.enabled)
      order by r.name`.execute(query);
    return { rules: rows, pks: rows.map(({ pk }) => pk) };
  });

interface RuleTransport {
  readonly pk: string;
  readonly mode: string;
  readonly send_once: boolean;
}

export interface Recipient {
  readonly transport: string | null;
  readonly user: number;
}

/**
 * A page of the recipients of a rule and their transports: each active direct member of its group by each available
 * transport. A message for all goes to the first member whom its transport can reach. A rule without available
 * transports shows its notifications in the pages.
 */
export async function loadRecipients(
  query: Query,
  { pk, group }: Pick<ActiveRule, 'pk' | 'group'>,
  kinds: readonly TransportKind[],
  { after, size }: { readonly after: number | null; readonly size: number },
): Promise<{ readonly recipients: readonly Recipient[]; readonly last: number | null }> {
  const { rows } = await sql<RuleTransport>`select t.pk, t.mode, t.send_once
    from notification_rule_transports rt join notification_transports t on t.pk = rt.transport
    where rt.rule = ${pk} order by t.name`.execute(query);
  const transports: RuleTransport[] = [];
  for (const transport of rows) {
    const kind = kinds.find(({ mode }) => mode === transport.mode);
    if ((await kind?.isReady?.()) !== false) transports.push(transport);
  }
  const { rows: members } = await sql<{ user: number }>`select ug."user" from user_groups ug
    join users u on u.pk = ug."user" where ug."group" = ${group} and u.is_active and ug."user" > ${after ?? -1}
    order by ug."user" limit ${size}`.execute(query);
  const last = members.length === size ? (members.at(-1)?.user ?? null) : null;
  if (transports.length === 0) return { recipients: members.map(({ user }) => ({ transport: null, user })), last };
  const forEach = transports.filter(({ send_once }) => !send_once);
  const recipients = forEach.flatMap((transport) => members.map(({ user }) => ({ transport: transport.pk, user })));
  if (after !== null) return { recipients, last };
  for (const transport of transports.filter(({ send_once }) => send_once)) {
    const needsAddress = kinds.find(({ mode }) => mode === transport.mode)?.needsAddress ?? false;
    const user = await firstMember(query, group, needsAddress);
    if (user !== null) recipients.push({ transport: transport.pk, user });
  }
  return { recipients, last: forEach.length > 0 ? last : null };
}

/**
 * The first active member, preferably with an address if one is needed; otherwise the job reports that it is missing.
 */
async function firstMember(query: Query, group: string, needsAddress: boolean): Promise<number | null> {
  const { rows } = await sql<{ user: number }>`select ug."user" from user_groups ug
    join users u on u.pk = ug."user" where ug."group" = ${group} and u.is_active
    order by case when u.email = '' then ${needsAddress ? 1 : 0} else 0 end, ug."user" limit 1`.execute(query);
  return rows[0]?.user ?? null;
}

/** Whether an event is about a policy bound to a rule: such events would trigger rules in a loop. */
export async function isAboutRules(query: Query, { context }: EventFacts): Promise<boolean> {
  const given = context.policy_uuid;
  if (typeof given !== 'string' || !/^[0-9a-f]{32}$/i.test(given)) return false;
  const policy = given.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const { rows } = await sql`select 1 as found from policy_bindings b join notification_rules r on r.pk = b.target
    where b.policy = ${policy} limit 1`.execute(query);
  return rows.length > 0;
}
