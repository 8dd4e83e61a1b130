import { setTimeout as delay } from 'node:timers/promises';
import { EqualityFilter, type Filter, FilterParser, PresenceFilter } from 'ldapts';
import type { Cidrs } from '../../../../lib/cidr.ts';
import { createLruCache, type LruCache } from '../../../../lib/lru-cache.ts';
import { type DirectoryServer, parseServerUri, serverName } from '../server-uri.ts';
import { LdapConnection } from './connection.ts';
import { DirectoryError } from './directory-error.ts';
import { type DirectoryTls, openSocket, openTls, timedOut } from './socket.ts';
import { type DirectoryEntry, identifierBytes, readEntry } from './values.ts';

/** How a directory is reached. */
export interface DirectorySettings {
  readonly serverUri: string;
  readonly startTls: boolean;
  readonly tls: DirectoryTls;
  readonly bindDn: string;
  readonly bindPassword: string;
}

/** Until when servers are tried last, by their names: people would wait for those that are away at each sign-in. */
export type AwayServers = LruCache<number>;
const awayMs = 60_000;
const maxAway = 200;

export const createAwayServers = (): AwayServers => createLruCache<number>(maxAway);

export interface OpenOptions {
  readonly allow: Cidrs;
  readonly away: AwayServers;
  /** For connecting, encrypting and binding. */
  readonly connectMs: number;
  /** For each operation. */
  readonly operationMs: number;
  /** Ends all of it. */
  readonly signal?: AbortSignal;
}

export interface Directory {
  readonly server: string;
  /** Pages of entries below a base. Referrals are counted, never followed. */
  pages(
    base: string,
    filter: string,
    signal?: AbortSignal,
  ): AsyncGenerator<{ entries: DirectoryEntry[]; references: number }>;
  /** The entry itself; null if there is none. */
  read(dn: string, attributes: readonly string[]): Promise<DirectoryEntry | null>;
  /** At most two: more than one is ambiguous. */
  find(base: string, attribute: string, value: string): Promise<DirectoryEntry[]>;
  readonly connection: LdapConnection;
  close(): void;
}

const pageSize = 200;
/** A server may send pages without an end. */
const maxPages = 20_000;
const maxEmptyPages = 100;
/** Characters of an attribute that comes in parts; larger ones end the connection. */
const maxCompleted = 32 * 1024 * 1024;
/** Entries are handed over before they hold more: a server may send larger pages, with larger groups, than asked. */
const maxBatch = 16 * 1024 * 1024;

/**
 * Connects to one of the servers, in random order but for those that were away, and binds. Throws the last
 * `DirectoryError` when none can be used.
 */
export async function openDirectory(settings: DirectorySettings, options: OpenOptions): Promise<Directory> {
  const servers = (parseServerUri(settings.serverUri) ?? [])
    .map((server) => ({ server, at: Math.random() + (isAway(options.away, server) ? 1 : 0) }))
    .sort((one, other) => one.at - other.at)
    .map(({ server }) => server);
  let failure = new DirectoryError('unreachable', 'No server is configured.');
  for (const server of servers) {
    if (options.signal?.aborted) throw timedOut(server);
    try {
      const start = Date.now();
      const limit = AbortSignal.timeout(options.connectMs);
      const signal = options.signal ? AbortSignal.any([limit, options.signal]) : limit;
      const left = () => Math.max(options.connectMs - (Date.now() - start), 1);
      const raw = await openSocket(server, options.allow, signal);
      const socket = server.isTls ? await openTls(raw, server, settings.tls, signal) : raw;
      const connection = new LdapConnection(server, socket);
      try {
        if (settings.startTls && !server.isTls) {
          const plain = await connection.startTls(left());
          connection.secured(await openTls(plain, server, settings.tls, signal));
        }
        if (settings.bindDn !== '') await connection.bind(settings.bindDn, settings.bindPassword, left());
        options.away.set(serverName(server), 0);
        return directoryOf(connection, options);
      } catch (error) {
        connection.close();
        throw error;
      }
    } catch (error) {
      if (!(error instanceof DirectoryError)) throw error;
      failure = error;
      // Another server would refuse the same name and password.
      if (error.reason === 'refused') throw error;
      if (error.reason === 'unreachable') options.away.set(serverName(server), Date.now() + awayMs);
    }
  }
  throw failure;
}

const isAway = (away: AwayServers, server: DirectoryServer): boolean =>
  (away.get(serverName(server)) ?? 0) > Date.now();

function directoryOf(connection: LdapConnection, { operationMs, signal: aborted }: OpenOptions): Directory {
  const all = ['*', '+'];
  aborted?.addEventListener('abort', () => connection.close(timedOut(connection.server)), { once: true });

  /** All values of attributes of which the server has sent a part (`member;range=0-1499`, Active Directory). */
  async function completed(entry: DirectoryEntry): Promise<DirectoryEntry> {
    const attributes: Record<string, readonly string[]> = Object.create(null);
    for (const [name, values] of Object.entries(entry.attributes)) {
      const [, type, end] = /^(.+);range=\d+-(\d+|\*)$/i.exec(name) ?? [];
      if (type === undefined) {
        // The plain attribute comes along, empty.
        if (values.length > 0 || attributes[name] === undefined) attributes[name] = values;
      } else attributes[type] = end === '*' ? values : [...values, ...(await restOf(entry.dn, type, Number(end) + 1))];
    }
    return { dn: entry.dn, attributes };
  }

  async function restOf(dn: string, type: string, start: number): Promise<string[]> {
    const rest: string[] = [];
    let length = 0;
    for (let from = start; ; ) {
      const found = await read(dn, [`${type};range=${from}-*`]);
      const [name = '', values = []] =
        Object.entries(found?.attributes ?? {}).find(([each]) =>
          each.toLowerCase().startsWith(`${type.toLowerCase()};range=`),
        ) ?? [];
      const [, end] = /;range=\d+-(\d+|\*)$/i.exec(name) ?? [];
      // Members that are missing would be taken out of the group.
      if (end === undefined || (end !== '*' && (Number(end) < from || values.length === 0)))
        throw new DirectoryError('unreachable', `${serverName(connection.server)} sent only a part of ${type}`);
      length += lengthOf(values);
      if (length > maxCompleted)
        throw new DirectoryError('unreachable', `${serverName(connection.server)} sent too many values of ${type}`);
      for (const value of values) rest.push(value);
      if (end === '*') return rest;
      from = Number(end) + 1;
    }
  }

  async function read(dn: string, attributes: readonly string[]): Promise<DirectoryEntry | null> {
    try {
      const filter = new PresenceFilter({ attribute: 'objectClass' });
      const { entries } = await connection.search({ base: dn, scope: 'base', filter, attributes }, operationMs);
      return entries[0] ? readEntry(entries[0]) : null;
    } catch (error) {
      if (error instanceof DirectoryError && error.code === 32) return null;
      throw error;
    }
  }

  return {
    server: serverName(connection.server),
    connection,
    read,
    async *pages(base, filterText, signal) {
      const filter: Filter = FilterParser.parseString(filterText);
      let cookie: Buffer | null = null;
      let empty = 0;
      for (let count = 0; count < maxPages; count += 1) {
        signal?.throwIfAborted();
        const page = await connection.search(
          { base, scope: 'sub', filter, attributes: all, page: { size: pageSize, cookie } },
          operationMs,
        );
        let entries: DirectoryEntry[] = [];
        let length = 0;
        for (const found of page.entries) {
          const entry = await completed(readEntry(found));
          entries.push(entry);
          for (const values of Object.values(entry.attributes)) length += lengthOf(values);
          if (entries.length < pageSize && length <= maxBatch) continue;
          yield { entries, references: 0 };
          [entries, length] = [[], 0];
        }
        if (entries.length > 0 || page.references > 0) yield { entries, references: page.references };
        // A page may be empty and yet not be the last one.
        if (page.cookie === null) return;
        empty = page.entries.length === 0 ? empty + 1 : 0;
        if (empty > maxEmptyPages) break;
        cookie = page.cookie;
        await delay(0);
      }
      throw new DirectoryError('unreachable', `${serverName(connection.server)} does not come to an end`);
    },
    async find(base, attribute, value) {
      const bytes = identifierBytes(attribute, value);
      const filter = new EqualityFilter({ attribute, value: bytes });
      const page = { size: 2, cookie: null };
      const { entries } = await connection.search({ base, scope: 'sub', filter, attributes: all, page }, operationMs);
      return entries.map(readEntry);
    },
    close: () => connection.close(),
  };
}

const lengthOf = (values: readonly string[]): number => values.reduce((sum, { length }) => sum + length, 0);
