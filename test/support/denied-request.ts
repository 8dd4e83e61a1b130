import { expect } from 'vitest';
import type { Made } from './providers.ts';
import { asForm, callback, fieldsOf, type RelyingParty, type Visit } from './relying-party.ts';
import type { TestServer } from './server.ts';

export const secretOf = ({ clientId, clientSecret }: RelyingParty) => ({
  client_id: clientId,
  client_secret: clientSecret,
});

export async function sent(server: TestServer, endpoint: string, fields: Record<string, string>): Promise<Made> {
  return (await fetch(`${server.url}/application/o/${endpoint}/`, asForm(fields))).json() as Promise<Made>;
}

/** A device asks for a code, and then whether a user has decided; the error that it is told. */
export const beginDevice = (server: TestServer, party: RelyingParty): Promise<Made> =>
  sent(server, 'device', { ...secretOf(party), scope: 'openid' });
export async function pollDevice(server: TestServer, party: RelyingParty, device_code: string): Promise<string> {
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
  return (await sent(server, 'token', { ...secretOf(party), grant_type, device_code })).error;
}

/** What a client asks for that will be told of a denial. */
export const asked = ({ clientId }: RelyingParty, more: Record<string, string> = {}) => ({
  client_id: clientId,
  response_type: 'code',
  redirect_uri: callback,
  scope: 'openid email',
  state: 'as it was',
  ...more,
});

/** What it is told then. */
export const told = ({ world }: TestServer, { slug }: RelyingParty) => ({
  error: 'access_denied',
  error_description: 'The user or the authorization server denied the request.',
  state: 'as it was',
  iss: `${world.config.publicUrl}/application/o/${slug}/`,
});

/** Sends a refusal to the client in each response mode, and checks the response: a denial by default. */
export async function expectToldInEachMode(
  server: TestServer,
  party: RelyingParty,
  answered: (response_mode: string) => Promise<Visit>,
  expected: (visit: Visit) => Record<string, string> = () => told(server, party),
): Promise<void> {
  const byQuery = await answered('query');
  const { location: query } = byQuery;
  expect(`${query?.origin}${query?.pathname}`).toBe(callback);
  expect(Object.fromEntries(query?.searchParams ?? [])).toEqual(expected(byQuery));
  const byFragment = await answered('fragment');
  expect(byFragment.location?.search).toBe('');
  expect(Object.fromEntries(new URLSearchParams(byFragment.location?.hash.slice(1)))).toEqual(expected(byFragment));
  const byForm = await answered('form_post');
  expect([byForm.location, byForm.text.includes(`action="${callback}"`)]).toEqual([null, true]);
  expect(fieldsOf(byForm.text)).toEqual(expected(byForm));
}
