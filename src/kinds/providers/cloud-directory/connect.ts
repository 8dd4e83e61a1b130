import { isJsonObject, type Json } from '../../../lib/json.ts';
import type { GuardedFetch } from '../../../platform/fetch/guarded-fetch.ts';
import { textOf } from '../../../provider/sync/answers.ts';
import { baseUrl } from '../../../provider/sync/base-url.ts';
import { SyncStopped } from '../../../provider/sync/remote.ts';
import { requestToken } from '../../../provider/sync/request-token.ts';
import { type Send, withBearer } from '../../../provider/sync/send.ts';

export type CloudSettings = {
  readonly client_id: string;
  readonly client_secret: string;
  readonly tenant_id: string;
  readonly login_url: string;
  readonly graph_url: string;
};

export interface CloudSession {
  readonly token: string;
  /** The address of the directory's interface. */
  readonly base: string;
  /** Domains that sign-in names may have. */
  readonly domains: ReadonlySet<string>;
}

const maxPages = 100_000;

/** Signs in by client credentials and asks for the verified domains. */
export async function connect(
  settings: CloudSettings,
  send: Send,
  fetch: GuardedFetch,
): Promise<{ session: CloudSession; validMs: number }> {
  const graph = baseUrl(settings.graph_url);
  const login = `${baseUrl(settings.login_url)}/${encodeURIComponent(settings.tenant_id)}/oauth2/v2.0/token`;
  const { token, validMs } = await requestToken(fetch, login, {
    grant_type: 'client_credentials',
    client_id: settings.client_id,
    client_secret: settings.client_secret,
    scope: `${graph}/.default`,
  });
  const base = `${graph}/v1.0`;
  const domains = new Set<string>();
  for await (const page of pagesOf(withBearer(send, token), `${base}/organization`, base)) {
    for (const organization of page) {
      const verified = isJsonObject(organization) ? organization.verifiedDomains : undefined;
      for (const domain of Array.isArray(verified) ? verified : []) domains.add(textOf(domain, 'name').toLowerCase());
    }
  }
  return { session: { token, base, domains }, validMs };
}

/** The pages of a list, following `@odata.nextLink` as long as it leads nowhere else: the token goes along. */
export async function* pagesOf(send: Send, first: string, base: string): AsyncIterable<readonly Json[]> {
  let url = first;
  for (let page = 0; page < maxPages; page++) {
    const answer = await send({ method: 'GET', url });
    const entries = isJsonObject(answer) ? answer.value : undefined;
    if (Array.isArray(entries)) yield entries;
    const next = isJsonObject(answer) ? answer['@odata.nextLink'] : undefined;
    if (typeof next !== 'string' || next === '') return;
    if (!next.startsWith(`${base}/`))
      throw new SyncStopped('The directory has the next page of a list at another address.');
    url = next;
  }
}
