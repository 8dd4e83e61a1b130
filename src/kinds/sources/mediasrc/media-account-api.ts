import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { GuardedFetch, OutboundResponse } from '../../../platform/fetch/guarded-fetch.ts';
import { OutboundError, type OutboundReason } from '../../../platform/fetch/outbound-error.ts';
import { parseJson } from '../../../resource/fields/structured.ts';

/** Why the media server's response cannot be used. The message is for the user; it contains no address. */
export class MediaServerFailed extends Error {
  /** Whether it refused the token rather than the call. */
  readonly refusedToken: boolean;

  constructor(message: string, refusedToken = false) {
    super(message);
    this.refusedToken = refusedToken;
  }
}

/** An account of the media server. */
export interface MediaAccount {
  readonly id: string;
  readonly username: string;
  readonly title: string;
  readonly email: string;
  /** False if the media server reports the address as unverified. */
  readonly isEmailConfirmed: boolean;
  /** Other data, without credentials. */
  readonly facts: Readonly<Record<string, Json>>;
}

export interface MediaAccountApi {
  account(token: string): Promise<MediaAccount>;
  /** The ids of the token owner's friends. */
  friendIds(token: string): Promise<ReadonlySet<string>>;
  /** The identifiers of the servers that the token's owner can reach. */
  serverIds(token: string): Promise<ReadonlySet<string>>;
}

interface Dependencies {
  readonly fetch: GuardedFetch;
  readonly apiUrl: string;
  /** The client identifier of the source at the media server. */
  readonly clientId: string;
}

const timeoutMs = 4_000;
const maxBytes = 1_048_576;
const maxEntries = 10_000;

export function createMediaAccountApi({ fetch, apiUrl, clientId }: Dependencies): MediaAccountApi {
  async function ask(path: string, token: string): Promise<Json> {
    const headers = {
      accept: 'application/json',
      'x-plex-token': token,
      'x-plex-client-identifier': clientId,
      'x-plex-product': 'Gatehouse',
    };
    try {
      return read(await fetch(`${apiUrl}${path}`, { headers, timeoutMs, maxBytes }));
    } catch (error) {
      if (error instanceof OutboundError) throw new MediaServerFailed(reasons[error.reason]);
      throw error;
    }
  }

  return {
    account: async (token) => readAccount(await ask('/user', token)),
    async friendIds(token) {
      const friends = readList(await ask('/friends', token));
      return new Set(friends.map(({ id }) => readId(id)));
    },
    async serverIds(token) {
      const resources = readList(await ask('/resources', token));
      const servers = resources.filter(({ provides }) => isServer(provides));
      return new Set(servers.map(({ clientIdentifier }) => readText(clientIdentifier)));
    },
  };
}

const reasons: Record<OutboundReason, string> = {
  blocked: 'The address of the media server may not be called.',
  timeout: 'The media server took too long to answer.',
  unreachable: 'The media server cannot be reached.',
  'too-large': 'The answer of the media server is too large.',
  redirect: 'The media server redirects instead of answering.',
  'bad-url': 'The media server cannot be asked with this token.',
  'bad-answer': 'The media server gave an answer that cannot be understood.',
};

const malformed = () => new MediaServerFailed(reasons['bad-answer']);

function read(answer: OutboundResponse): Json {
  const { status } = answer;
  if (status === 401 || status === 403) throw new MediaServerFailed('The media server refuses the token.', true);
  if (status < 200 || status > 299) throw new MediaServerFailed(`The media server answered with status ${status}.`);
  // Read from JSON.
  const body = answer.json() as Json;
  // Refuses what is nested too deeply to be walked, and text that could not be stored.
  if ('complaint' in parseJson(body, { anyValue: true })) throw malformed();
  return body;
}

function readAccount(body: Json): MediaAccount {
  const account = readObject(body);
  return {
    id: readId(account.id),
    username: readText(account.username ?? ''),
    title: readText(account.title ?? ''),
    email: readText(account.email ?? ''),
    isEmailConfirmed: account.confirmed === undefined || account.confirmed === true,
    facts: membersWithoutSecrets(account),
  };
}

const secretName = /token|secret|password$|^pin$/i;

/** The response contains the token, and possibly those of other services, which expressions must not read. */
function withoutSecrets(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  return isJsonObject(value) ? membersWithoutSecrets(value) : value;
}

function membersWithoutSecrets(value: JsonObject): JsonObject {
  const members = Object.entries(value).filter(([name]) => !secretName.test(name));
  return Object.fromEntries(members.map(([name, inner]) => [name, withoutSecrets(inner)]));
}

function readList(body: Json): JsonObject[] {
  if (!Array.isArray(body) || body.length > maxEntries) throw malformed();
  return body.map(readObject);
}

function readObject(value: Json): JsonObject {
  if (!isJsonObject(value)) throw malformed();
  return value;
}

/** Numbers past what JavaScript counts exactly would make two people one. */
function readId(value: Json | undefined): string {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return String(value);
  if (typeof value === 'string' && /^[1-9]\d{0,30}$/.test(value)) return value;
  throw malformed();
}

function readText(value: Json | undefined): string {
  if (typeof value !== 'string' || value.length > 1024) throw malformed();
  return value.trim();
}

const isServer = (provides: Json | undefined): boolean =>
  typeof provides === 'string' && provides.split(',').some((ability) => ability.trim() === 'server');
