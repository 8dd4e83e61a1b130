import { sql } from 'kysely';
import { parseDuration } from '../../lib/duration.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Geo } from '../../platform/geo/geo.ts';
import { randomUuid } from '../../platform/random.ts';
import { masked } from '../../resource/audit.ts';
import type { Call, NewEvent } from '../../resource/call.ts';
import type { Settings } from '../settings/settings.ts';

interface Needs {
  readonly geo: Geo;
  settings(): Promise<Settings>;
  /** The brand a host name belongs to, as events show it. */
  brandOf(host: string, query: Query): Promise<Record<string, unknown>>;
}

const secretName = /api|token|key|secret|pass|signature/i;

/** Writes audit events, always in the transaction of what they tell of. */
export function createRecord({ geo, settings, brandOf }: Needs) {
  return async function record(tx: Query, call: Call, event: NewEvent): Promise<void> {
    const { request, actor, now } = call;
    const retentionMs = parseDuration((await settings()).event_retention) ?? 0;
    const location = geo.locate(request.clientIp);
    const network = geo.network(request.clientIp);
    const context = {
      ...(maskSecrets(event.context) as Record<string, unknown>),
      http_request: {
        path: request.path,
        method: request.method,
        args: maskSecrets(Object.fromEntries(request.query)),
        user_agent: request.userAgent,
        request_id: request.id,
      },
      ...(location && { geo: location }),
      ...(network && { asn: network }),
    };
    const user = actor
      ? { pk: actor.user.pk, email: actor.user.email, username: actor.user.username }
      : { pk: null, email: '', username: 'AnonymousUser', is_anonymous: true };
    await sql`insert into events (pk, "user", user_pk, username, action, app, context, client_ip, created, expires, brand) values (
      ${randomUuid()}, ${JSON.stringify(user)}, ${user.pk}, ${user.username}, ${event.action}, ${event.app}, ${JSON.stringify(context)},
      ${request.clientIp}, ${now}, ${addMilliseconds(now, retentionMs)}, ${JSON.stringify(await brandOf(request.host, tx))})`.execute(
      tx,
    );
  };
}

/** Members named like secrets show as asterisks, at any depth. A diff names fields, so its members are looked into. */
export function maskSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      secretName.test(name) && isLeaf(inner) ? masked : maskSecrets(inner),
    ]),
  );
}

const isLeaf = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';
