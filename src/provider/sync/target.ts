import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { SettingsStore } from '../../core/settings/settings.ts';
import { createLruCache } from '../../lib/lru-cache.ts';
import type { Database, Query } from '../../platform/db/database.ts';
import type { GuardedFetch } from '../../platform/fetch/guarded-fetch.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import type { Call } from '../../resource/call.ts';
import type { Row } from '../../resource/fields/field.ts';
import type { Engine, Resource } from '../../resource/resource.ts';
import type { ObjectType } from './facts.ts';
import { type DeleteAction, isOfObject, type Remote, SyncStopped, Unauthorized } from './remote.ts';
import { createSend, type Send, type SentRequest, type SyncRequest, withBearer } from './send.ts';

/**
 * The calls of one kind of target. `Settings` is the stored row of its provider, `Session` is fetched once and cached.
 */
export interface SyncCalls<Settings extends Row, Session> {
  /** The number of concurrent requests. */
  readonly connections: number;
  /** For how long an object may be unknown to parts of the target after it was made there; 0 where it never is. */
  readonly settlesInMs: number;
  /** The address of the target: links refer to objects there. */
  destination(settings: Settings): string;
  /** Signs in and fetches the capabilities of the target. */
  connect(settings: Settings, send: Send, fetch: GuardedFetch): Promise<{ session: Session; validMs: number }>;
  /** The bearer token of requests, and the media type of their bodies. */
  tokenOf(settings: Settings, session: Session): string;
  readonly mediaType: string;
  /** `send` adds the token. */
  remote(settings: Settings, session: Session, send: Send): Remote;
}

/** A kind of target as the engine handles it. */
export interface SyncKind {
  readonly model: string;
  readonly connections: number;
  readonly settlesInMs: number;
  /** Where links to remote objects are shown, by type of object. */
  readonly links: Readonly<Record<ObjectType, LinkTable>>;
  readonly needs: SyncDependencies;
  /** A digest of the address in these settings. */
  destinationOf(stored: Row): string;
  open(target: Target): Promise<Connection>;
}

export interface LinkTable {
  readonly table: string;
  /** The column with the key of the remote object. */
  readonly id: string;
  readonly hasAttributes: boolean;
}

export interface SyncDependencies {
  readonly db: Database;
  readonly fetch: GuardedFetch;
  readonly sandbox: Sandbox;
  readonly settings: SettingsStore;
  readonly installId: string;
}

/** A signed-in client. */
export interface Connection {
  /** The calls, with their requests recorded in `trace`. */
  remote(trace: SentRequest[], dryRun?: boolean): Remote;
}

export interface Mapping {
  readonly name: string;
  readonly expression: string;
}

/** A provider with all that determines what it sends. */
export interface Target {
  readonly pk: number;
  readonly name: string;
  readonly kind: SyncKind;
  readonly stored: Row;
  /** A digest of the address in `stored`. */
  readonly destination: string;
  readonly mappings: Readonly<Record<ObjectType, readonly Mapping[]>>;
  readonly leavesServiceAccounts: boolean;
  readonly filterGroup: string | null;
  readonly deleteActions: Readonly<Record<ObjectType, DeleteAction>>;
}

const maxSessions = 200;

interface Opened {
  readonly session: unknown;
  readonly until: number;
}

/** Holds sessions of a kind, one for each provider, until they end or the provider is changed. */
export function createOpen(
  { fetch }: Pick<SyncDependencies, 'fetch'>,
  calls: SyncCalls<Row, unknown>,
): SyncKind['open'] {
  const sessions = createLruCache<Opened>(maxSessions);
  return async (target) => {
    const settings = target.stored;
    const key = `${target.pk} ${createHash('sha256').update(JSON.stringify(target.stored)).digest('base64')}`;
    const known = sessions.get(key);
    const isKnown = known !== undefined && known.until > Date.now();
    let opened = isKnown ? known : await connect();
    let renewal: Promise<Opened> | null = null;
    return {
      remote(trace, dryRun = false) {
        const send = createSend(fetch, { trace, dryRun });
        const sendIn = ({ session }: Opened, request: SyncRequest) =>
          withBearer(send, calls.tokenOf(settings, session), calls.mediaType)(request);
        return calls.remote(settings, opened.session, async (request) => {
          const used = opened;
          try {
            return await sendIn(used, request).catch(async (error: unknown) => {
              if (!(error instanceof Unauthorized)) throw error;
              return sendIn(await renewed(used), request);
            });
          } catch (error) {
            if (error instanceof SyncStopped) sessions.set(key, { session: opened.session, until: 0 });
            throw error;
          }
        });
      },
    };

    /** Tokens may be taken back before their time. Requests that are refused together share the next one. */
    async function renewed(used: Opened): Promise<Opened> {
      if (opened !== used) return opened;
      renewal ??= connect().finally(() => {
        renewal = null;
      });
      opened = await renewal;
      return opened;
    }

    async function connect(): Promise<Opened> {
      const { session, validMs } = await calls.connect(settings, createSend(fetch), fetch).catch(stopped);
      const made = { session, until: Date.now() + validMs };
      sessions.set(key, made);
      return made;
    }
  };
}

/** What is refused before any object is sent concerns all of them. */
function stopped(error: unknown): never {
  throw isOfObject(error) ? new SyncStopped(error.message) : error;
}

/** The keys of providers of these kinds that an application uses, in either role. */
export async function activeProviders(
  query: Query,
  kinds: readonly SyncKind[],
): Promise<{ pk: number; kind: string; name: string }[]> {
  if (kinds.length === 0) return [];
  const { rows } = await sql<{ pk: number; kind: string; name: string }>`select p.pk, p.kind, p.name from providers p
    where p.kind in (${sql.join(kinds.map(({ model }) => model))}) and (
      exists (select 1 from application_backchannel_providers ab where ab.provider = p.pk)
      or exists (select 1 from applications a where a.provider = p.pk))
    order by p.pk`.execute(query);
  return rows;
}

export const isActive = async (query: Query, kind: SyncKind, pk: number): Promise<boolean> =>
  (await activeProviders(query, [kind])).some((provider) => provider.pk === pk);

export async function loadTarget(engine: Engine, call: Call, kind: SyncKind, pk: number): Promise<Target | null> {
  const resource: Resource = engine.registry.require(kind.model);
  const stored = await engine.stored(resource, call)(call, call.db.read, pk);
  if (!stored) return null;
  return {
    pk,
    name: String(stored.name),
    kind,
    stored,
    destination: kind.destinationOf(stored),
    mappings: {
      user: await loadMappings(call.db.read, stored.property_mappings),
      group: await loadMappings(call.db.read, stored.property_mappings_group),
    },
    leavesServiceAccounts: stored.exclude_users_service_account === true,
    filterGroup: typeof stored.filter_group === 'string' ? stored.filter_group : null,
    deleteActions: { user: actionOf(stored.user_delete_action), group: actionOf(stored.group_delete_action) },
  };
}

const actionOf = (stored: unknown): DeleteAction =>
  stored === 'do_nothing' || stored === 'suspend' ? stored : 'delete';

async function loadMappings(query: Query, keys: unknown): Promise<readonly Mapping[]> {
  if (!Array.isArray(keys) || keys.length === 0) return [];
  const { rows } = await sql<Mapping>`select name, expression from property_mappings
    where pk in (${sql.join(keys)}) order by name`.execute(query);
  return rows;
}
