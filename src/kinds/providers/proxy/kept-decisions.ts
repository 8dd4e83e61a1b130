import { createHmac, randomBytes } from 'node:crypto';
import type { HttpCall } from '../../../platform/http/routes.ts';
import type { RelayedAnswer } from '../../../provider/outpost/relayed-request.ts';
import { isOwnPath } from './auth-routes.ts';
import { isSessionCookie } from './cookies.ts';
import { describeOriginal, type Original, proxyKinds } from './forwarded.ts';
import { readHost } from './guarded-host.ts';
import { outpostPath } from './proxy-model.ts';

type Http = Pick<HttpCall, 'facts' | 'raw'>;

/** What the server has allowed, for as long as an outpost may honor it while the server cannot be reached. */
export interface KeptDecisions {
  /**
   * Stores reusable decisions, and deletes those that the server no longer confirms. `at` is the time of the request.
   */
  note(http: Http, answer: RelayedAnswer, at: number): void;
  /** The response to the same session or path within this time; null if there is none, and access is denied. */
  find(http: Http, withinMs: number): RelayedAnswer | null;
  /** Deletes older decisions. */
  prune(withinMs: number): void;
  clear(): void;
}

interface Kept {
  readonly answer: RelayedAnswer;
  readonly at: number;
}

const maxKept = 10_000;

/** In memory alone, by keyed hashes: cookies and passwords are not stored. */
export function createKeptDecisions(now: () => number = () => performance.now()): KeptDecisions {
  const key = randomBytes(32);
  // In the order in which they were decided.
  const kept = new Map<string, Kept>();

  const hash = (parts: readonly unknown[]): string =>
    createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64');

  function keysOf(http: Http): Record<'session' | 'path', string> | null {
    const asked = originalOf(http);
    if (asked === null) return null;
    const { by, original } = asked;
    const { facts } = http;
    const cookies = Object.entries(facts.cookies)
      .filter(([name]) => isSessionCookie(name))
      .toSorted();
    const session = [
      by,
      original.scheme,
      original.host,
      facts.clientIp,
      cookies,
      facts.header('authorization') ?? null,
    ];
    return { session: hash(['session', ...session]), path: hash(['path', ...session, original.path]) };
  }

  return {
    note(http, answer, at) {
      const keys = keysOf(http);
      if (keys === null) return;
      kept.delete(keys.session);
      kept.delete(keys.path);
      if (answer.reuse === null) return;
      kept.set(keys[answer.reuse], { answer, at });
      const [oldest] = kept.size > maxKept ? kept.keys() : [];
      if (oldest !== undefined) kept.delete(oldest);
    },
    find(http, withinMs) {
      const keys = keysOf(http);
      const found = keys && (kept.get(keys.session) ?? kept.get(keys.path));
      return found && now() - found.at < withinMs ? found.answer : null;
    },
    prune(withinMs) {
      for (const [name, { at }] of kept) {
        if (now() - at < withinMs) return;
        kept.delete(name);
      }
    },
    clear: () => kept.clear(),
  };
}

/** The original request, and the operation that decides about it; null for everything else. */
function originalOf(http: Http): { readonly by: string; readonly original: Original } | null {
  const { facts, raw } = http;
  if (isOwnPath(facts.path)) {
    const kind = proxyKinds.find((name) => facts.path.toLowerCase().startsWith(`${outpostPath}/auth/${name}`));
    const described = kind && describeOriginal(http, kind);
    if (!described || !('original' in described) || isOwnPath(described.original.path)) return null;
    return { by: kind, original: described.original };
  }
  const scheme = facts.isSecure ? 'https' : 'http';
  const host = readHost(facts.authority, scheme);
  if (host === null) return null;
  const search = (raw.url ?? '').slice(facts.path.length);
  return { by: 'proxy', original: { method: facts.method, scheme, host, path: facts.path, search } };
}
