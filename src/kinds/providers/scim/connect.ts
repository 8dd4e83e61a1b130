import type { Json } from '../../../lib/json.ts';
import { baseUrl } from '../../../provider/sync/base-url.ts';
import { isOfObject } from '../../../provider/sync/remote.ts';
import type { Send } from '../../../provider/sync/send.ts';
import { memberOf } from './answers.ts';

export const compatibilityModes = ['default', 'aws', 'slack', 'sfdc', 'gitlab', 'webex', 'vcenter'] as const;
export type CompatibilityMode = (typeof compatibilityModes)[number];

export type ScimSettings = {
  readonly url: string;
  readonly token: string;
  readonly compatibility_mode: CompatibilityMode;
};

/** What the server can do. */
export interface ScimSession {
  readonly canPatch: boolean;
  readonly canFilter: boolean;
  /** Members that one request may add or remove. */
  readonly maxMembers: number;
  /** The server did not say: this is a guess. */
  readonly isGuess: boolean;
}

const nothing: ScimSession = { canPatch: false, canFilter: false, maxMembers: 100, isGuess: true };
const memberLimit = 1_000;
const validMs = 60 * 60 * 1_000;

export const baseOf = ({ url }: ScimSettings): string => baseUrl(url);

/** Asks for the ServiceProviderConfig once an hour. A server without one is taken to support nothing. */
export async function connect(settings: ScimSettings, send: Send): Promise<{ session: ScimSession; validMs: number }> {
  const mode = settings.compatibility_mode;
  const session = mode === 'gitlab' || mode === 'vcenter' ? nothing : await fetchServiceProviderConfig(settings, send);
  return {
    validMs,
    session: {
      ...session,
      ...(mode === 'aws' && { canPatch: false, isGuess: false }),
      ...(mode === 'slack' && { canFilter: true }),
    },
  };
}

async function fetchServiceProviderConfig(settings: ScimSettings, send: Send): Promise<ScimSession> {
  const path = settings.compatibility_mode === 'sfdc' ? 'ServiceProviderConfigs' : 'ServiceProviderConfig';
  try {
    return sessionOf(await send({ method: 'GET', url: `${baseOf(settings)}/${path}` }));
  } catch (error) {
    if (!isOfObject(error)) throw error;
    return nothing;
  }
}

/** Of `bulk` only the number counts; that it is missing or not supported says nothing of the rest. */
function sessionOf(config: Json): ScimSession {
  const supports = (name: string) => memberOf(memberOf(config, name), 'supported') === true;
  if (memberOf(config, 'patch') === undefined && memberOf(config, 'filter') === undefined) return nothing;
  const given = memberOf(memberOf(config, 'bulk'), 'maxOperations');
  const maxMembers = typeof given === 'number' && given >= 1 ? Math.min(given, memberLimit) : memberLimit;
  return { canPatch: supports('patch'), canFilter: supports('filter'), maxMembers, isGuess: false };
}
