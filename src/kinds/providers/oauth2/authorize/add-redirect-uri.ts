import { csrfField, csrfFormField, isCsrfFormValid } from '../../../../core/session/csrf-form-field.ts';
import { Invalid, Problem } from '../../../../lib/problem.ts';
import type { PlainPage } from '../../../../platform/http/plain-page.ts';
import type { HttpResponse } from '../../../../platform/http/routes.ts';
import { redirectBrowser } from '../../../../provider/browser-responses.ts';
import { checkMayChange, checkMayWrite } from '../../../../resource/access/may-write.ts';
import { lockUses } from '../../../../resource/access/sign-in-use.ts';
import type { Call } from '../../../../resource/call.ts';
import { findVisible } from '../../../../resource/read/read.ts';
import type { Engine } from '../../../../resource/resource.ts';
import { inWrite } from '../../../../resource/write/write.ts';
import { updateRow } from '../../../../resource/write/write-row.ts';
import { type Client, loadClient } from '../client.ts';
import { OAuthError } from '../oauth-error.ts';
import { oauth2Model } from '../oauth2-model.ts';
import type { RedirectUri } from '../redirect-uris.ts';
import { authorizePath } from '../urls.ts';
import type { AuthorizeDependencies } from './dependencies.ts';
import { isRegisteredRedirectUri } from './match-redirect-uri.ts';

export const addRedirectUriPath = '/application/o/add-redirect-uri/';

/** Anyone can send a long request; larger ones are added on the page of the provider. */
const maxOfferedLength = 4_000;

type AddRedirectUriNeeds = AuthorizeDependencies & { readonly engine: Engine };

/** The token is for this address of this client alone, so a page cannot be made to add another. */
const purposeOf = (clientId: string, uri: string, query: string): string =>
  `add redirect URI ${JSON.stringify([clientId, uri, query])}`;

/** The form that registers the address of a refused request; null if the caller may not register it. */
export async function addRedirectUriForm(
  needs: AddRedirectUriNeeds,
  call: Call,
  client: Client,
  uri: string,
  query: string,
): Promise<PlainPage['form'] | null> {
  const { key, engine, sandbox } = needs;
  const { actor } = call;
  if (!actor?.session || uri.length + query.length > maxOfferedLength) return null;
  if (!isRegisteredRedirectUri(sandbox, { ...client, redirect_uris: [strictly(uri)] }, uri)) return null;
  try {
    const { registry } = engine;
    // Most people fail here, without a transaction.
    await checkMayChange(actor, registry.require(oauth2Model), client.pk, { call, registry, tx: call.db.read });
    await addRedirectUri(needs, call, client, uri, { isDryRun: true });
  } catch (error) {
    if (error instanceof Problem || error instanceof Invalid) return null;
    throw error;
  }
  const { client_id } = client;
  return {
    action: addRedirectUriPath,
    hidden: { client_id, redirect_uri: uri, query, ...csrfFormField(key, call, purposeOf(client_id, uri, query)) },
    submit: 'Add this address',
    // From there, the request goes on to the application.
    leadsTo: uri,
  };
}

/** Registers the address that the form names, as a change of the provider by the API would, and repeats the request. */
export async function handleAddRedirectUri(
  needs: AddRedirectUriNeeds,
  call: Call,
  text: string,
): Promise<HttpResponse> {
  const form = new URLSearchParams(text);
  const fieldOf = (name: string) => form.get(name) ?? '';
  const [clientId, uri, query] = [fieldOf('client_id'), fieldOf('redirect_uri'), fieldOf('query')];
  const proof = { get: () => form.get(csrfField) };
  const client = isCsrfFormValid(needs.key, call, proof, purposeOf(clientId, uri, query))
    ? await loadClient(needs, { clientId })
    : null;
  if (!client) throw new OAuthError('invalid_request', 'This form is no longer valid. Start the sign-in again.');
  try {
    if (!isRegisteredRedirectUri(needs.sandbox, client, uri)) await addRedirectUri(needs, call, client, uri);
  } catch (error) {
    if (!(error instanceof Problem || error instanceof Invalid)) throw error;
    throw new OAuthError('access_denied', 'You can no longer change this provider.', { status: 403 });
  }
  return { ...redirectBrowser(`${authorizePath}?${query}`), status: 303 };
}

async function addRedirectUri(
  { engine }: AddRedirectUriNeeds,
  call: Call,
  client: Client,
  uri: string,
  { isDryRun = false } = {},
): Promise<void> {
  const { registry } = engine;
  const resource = registry.require(oauth2Model);
  const query = new URLSearchParams(isDryRun ? { dry_run: 'true' } : {});
  const part: Call = {
    ...call,
    params: { [resource.param]: String(client.pk) },
    request: { ...call.request, query },
  };
  await inWrite(part, resource, async (tx) => {
    await lockUses(resource, part, registry, tx);
    const { pk, values } = await findVisible({ engine, resource, call: part, tx }, 'write');
    await checkMayWrite(resource, 'change', values, { call: part, registry, tx });
    // As its field has read it.
    const redirect_uris = [...(values.redirect_uris as readonly RedirectUri[]), strictly(uri)];
    await updateRow({ engine, resource, call: part, tx }, pk, values, { redirect_uris }, 'patch');
  });
}

const strictly = (url: string): RedirectUri => ({ matching_mode: 'strict', url });
