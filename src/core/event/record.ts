import { sql } from 'kysely';
import { parseDuration } from '../../lib/duration.ts';
import type { JsonObject } from '../../lib/json.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import type { Query } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import type { Geo } from '../../platform/geo/geo.ts';
import { orderedUuid } from '../../platform/random.ts';
import type { Actor, ActorUser } from '../../resource/access/actor.ts';
import type { Call, NewEvent } from '../../resource/call.ts';
import { storableText } from '../../resource/fields/well-formed.ts';
import type { Settings } from '../settings/settings.ts';
import { type EventColumns, type EventParts, eventColumns } from './columns.ts';
import { createEventSummary } from './event-summary.ts';
import { maskSecrets } from './mask.ts';
import { separateMessages } from './messages.ts';

interface Dependencies {
  readonly geo: Geo;
  settings(): Promise<Settings>;
  /** The brand a host name belongs to, as events show it. */
  brandOf(host: string): Promise<Record<string, unknown>>;
  readonly onRecorded?: OnEventRecorded;
}

/** Called for each event in its transaction; with its contents if the server itself wrote it. */
export type OnEventRecorded = (tx: Query, call: Call, pk: string, event?: RecordedEvent) => Promise<void>;
export type RecordedEvent = EventParts & EventColumns;

/** In the order in which `record` gives their values. */
const columns = [
  ...['pk', 'user', 'action', 'app', 'context', 'client_ip', 'brand', 'created', 'expires'],
  ...['user_pk', 'username', 'subject', 'model_app', 'model_name', 'model_pk'],
  ...['authorized_app', 'brand_name', 'words', 'messages'],
];

/** Nearly every write records an event, so the statement is rendered once. */
const insertEvent = statement<unknown[], unknown>(
  (...values) =>
    sql`insert into events (${sql.join(columns.map((name) => sql.ref(name)))}) values (${sql.join(values)})`,
);

/** Writes audit events, always in the transaction of the change. */
export function createRecord({ geo, settings, brandOf, onRecorded }: Dependencies) {
  const beyondQuota = createEventSummary();
  return async function record(tx: Query, call: Call, event: NewEvent): Promise<void> {
    // Anonymous callers must not fill the disk with failed attempts: beyond their quota, events are counted and
    // summarized.
    const isAdmitted = await call.world.tryReserve('events', call);
    const summary = beyondQuota.summaryAfter(call, isAdmitted ? null : event);
    if (summary) await store(tx, call, summary);
    if (isAdmitted) await store(tx, call, event);
  };

  async function store(tx: Query, call: Call, event: NewEvent): Promise<void> {
    const { request, actor, now } = call;
    const { context: english, messages } = separateMessages(event.context);
    const parts = {
      user: actorFacts(actor),
      action: event.action,
      app: event.app,
      context: clippedFor(actor, { ...maskSecrets(english), ...requestFacts(call, geo) }),
      client_ip: request.clientIp,
      brand: await brandOf(request.host),
    };
    const pk = orderedUuid();
    const [user, context, brand] = [parts.user, parts.context, parts.brand].map((part) => JSON.stringify(part));
    const expires = expiryOf(now, await settings(), parts.action);
    const copied = eventColumns(parts);
    await insertEvent(
      tx,
      ...[pk, user, parts.action, parts.app, context, parts.client_ip, brand, now, expires],
      ...[copied.user_pk, copied.username, copied.subject, copied.model_app, copied.model_name, copied.model_pk],
      ...[copied.authorized_app, copied.brand_name, copied.words, messages && JSON.stringify(messages)],
    );
    if (!event.isQuiet) await onRecorded?.(tx, call, pk, { ...parts, ...copied });
  }
}

/** Limits on text length and member count of events that anonymous callers cause. */
const maxTextLength = 500;
const maxMembers = 50;

/** Clips long texts, but only of anonymous callers. */
const clippedFor = (actor: Actor | null, context: Record<string, unknown>): Record<string, unknown> =>
  actor ? context : Object.fromEntries(Object.entries(context).map(([name, value]) => [name, clip(value)]));

function clip(value: unknown): unknown {
  if (typeof value === 'string') return value.length > maxTextLength ? `${value.slice(0, maxTextLength)}…` : value;
  if (Array.isArray(value)) return value.slice(0, maxMembers).map(clip);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).slice(0, maxMembers);
  return Object.fromEntries(members.map(([name, inner]) => [clip(name), clip(inner)]));
}

/** The minimum retention of security events, whatever the settings. */
const securityActions: ReadonlySet<string> = new Set([
  ...['login', 'login_failed', 'suspicious_request', 'password_set', 'user_write', 'secret_view', 'secret_rotate'],
  ...['source_linked', 'impersonation_started', 'impersonation_ended'],
]);
const securityRetentionMs = 90 * 24 * 3_600_000;

export function expiryOf(now: string, { event_retention }: Settings, action: string): string {
  const retentionMs = parseDuration(event_retention) ?? 0;
  return addMilliseconds(now, securityActions.has(action) ? Math.max(retentionMs, securityRetentionMs) : retentionMs);
}

/** The actor, as events show it. During impersonation the impersonator is the actor. */
export function actorFacts(actor: Actor | null): JsonObject {
  if (!actor) return { pk: null, email: '', username: 'AnonymousUser', is_anonymous: true };
  if (!actor.impersonator) return userFacts(actor.user);
  return { ...userFacts(actor.impersonator.user), on_behalf_of: userFacts(actor.user) };
}

const userFacts = ({ pk, email, username }: Pick<ActorUser, 'pk' | 'email' | 'username'>) => ({ pk, email, username });

function requestFacts({ request }: Call, geo: Geo): Record<string, unknown> {
  const place = geo.locate(request.clientIp);
  const network = geo.network(request.clientIp);
  return {
    http_request: {
      path: request.path,
      method: request.method,
      args: maskSecrets(argsOf(request.query)),
      user_agent: request.userAgent,
      request_id: request.id,
    },
    ...(place && { geo: place }),
    ...(network && { asn: network }),
  };
}

/**
 * The query parameters by name. Pages pass their own query in one parameter: it is parsed too, since it may contain
 * secrets.
 */
function argsOf(query: URLSearchParams): Record<string, unknown> {
  const argument = ([name, value]: [string, string]) => [
    storableText(name),
    name === 'query' && value.includes('=') ? argsOf(new URLSearchParams(value)) : storableText(value),
  ];
  return Object.fromEntries([...query].map(argument));
}
