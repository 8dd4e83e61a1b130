import { actorOfToken } from '../../../core/token/token-credential.ts';
import { Invalid, Problem } from '../../../lib/problem.ts';
import type { Query } from '../../../platform/db/database.ts';
import { randomText } from '../../../platform/random.ts';
import { defaultAuthorizationFlow, proxyScope } from '../../../provider/install-defaults.ts';
import { checkMayAdd } from '../../../resource/access/access.ts';
import type { Call } from '../../../resource/call.ts';
import { createRow } from '../../../resource/write/write-row.ts';
import { actorOfAccessToken } from './access-token-credential.ts';
import { seconds } from './claims.ts';
import { type ClientMetadata, readMetadata } from './client-metadata.ts';
import type { OAuthDependencies } from './dependencies.ts';
import { type ManagedScope, managedScopes } from './install-defaults.ts';
import { OAuthError } from './oauth-error.ts';
import type { OAuthEndpoint } from './oauth-request.ts';
import { oauth2Model } from './oauth2-model.ts';

/**
 * Dynamic client registration (RFC 7591). Requires the permissions to create providers and applications, by
 * an API token: there is no open registration.
 */
export function registrationEndpoint(needs: OAuthDependencies): OAuthEndpoint {
  const { engine } = needs;
  const providers = engine.registry.require(oauth2Model);
  const applications = engine.registry.require('svc_core.application');
  return async ({ call: anonymous }) => {
    const call = await signedIn(needs, anonymous);
    for (const resource of [providers, applications]) checkRight(() => checkMayAdd(resource, call));
    const metadata = readMetadata(call.body());
    const made = await call.db.write(async (tx) => {
      // The client chooses: what only proxies need, it gets from an administrator.
      const scopes = await managedScopes(
        tx,
        metadata.scope.filter((scope) => scope !== proxyScope),
      );
      const body = await providerOf(tx, metadata, scopes);
      try {
        const provider = await createRow({ engine, resource: providers, call, tx }, body);
        await createRow({ engine, resource: applications, call, tx }, applicationOf(metadata, provider.pk));
        return { provider: provider.values, scopes };
      } catch (error) {
        throw asRefusal(error);
      }
    });
    return { status: 201, body: answerOf(metadata, made, call.now) };
  };
}

async function signedIn({ db, key, publicUrl }: OAuthDependencies, call: Call): Promise<Call> {
  const [, token] = /^bearer +(\S+)$/i.exec(call.request.header('authorization')?.trim() ?? '') ?? [];
  if (token === undefined) throw new OAuthError('invalid_token', 'Registering a client requires an API token.');
  try {
    return { ...call, actor: await actorOfToken(db, key.hash(token), call.now) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const actor = await actorOfAccessToken(db, key, token, call.now, publicUrl);
    if (actor) return { ...call, actor };
    throw new OAuthError('invalid_token', 'The token is invalid or expired.');
  }
}

function checkRight(check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new OAuthError(
      'insufficient_scope',
      'The token requires the permissions to create providers and applications.',
    );
  }
}

/** A field error in the format of the protocol. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof Invalid)) return error;
  const [member = '', complaint] = Object.entries(error.complaints)[0] ?? [];
  const text = Array.isArray(complaint) ? complaint[0] : Object.values(complaint ?? {}).flat()[0];
  const code = member === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata';
  return new OAuthError(code, `${member}: ${text ?? 'not taken'}`);
}

/** The defaults: explicit consent, and the server's own key pair. */
async function providerOf(
  tx: Query,
  metadata: ClientMetadata,
  scopes: readonly ManagedScope[],
): Promise<Record<string, unknown>> {
  const flow = await defaultAuthorizationFlow(tx);
  if (flow === null) throw new OAuthError('invalid_client_metadata', 'No authorization flow is configured.');
  const strict = (urls: readonly string[]) => urls.map((url) => ({ matching_mode: 'strict', url }));
  return {
    name: `${metadata.client_name} (${randomText(8)})`,
    authorization_flow: flow,
    client_type: metadata.token_endpoint_auth_method === 'none' ? 'public' : 'confidential',
    // Only the root metadata contains this endpoint, so clients use the issuer in it.
    issuer_mode: 'global',
    redirect_uris: strict(metadata.redirect_uris),
    grant_types: metadata.grant_types,
    property_mappings: scopes.map(({ pk }) => pk),
    post_logout_redirect_uris: strict(metadata.post_logout_redirect_uris),
    ...(metadata.backchannel_logout_uri && { backchannel_logout_uri: metadata.backchannel_logout_uri }),
    ...(metadata.frontchannel_logout_uri && { frontchannel_logout_uri: metadata.frontchannel_logout_uri }),
    ...(metadata.require_signed_request_object && { require_signed_request_object: true }),
    ...(metadata.jwks && { jwks: metadata.jwks }),
    ...(metadata.jwks_uri && { jwks_uri: metadata.jwks_uri }),
    // It authenticates by its key only.
    ...(metadata.token_endpoint_auth_method === 'private_key_jwt' && { client_secret: '' }),
  };
}

function applicationOf({ client_name, client_uri }: ClientMetadata, provider: string | number) {
  const words = client_name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  const slug = `${words.slice(0, 40) || 'client'}-${randomText(8).toLowerCase()}`;
  return { name: client_name, slug, provider, ...(client_uri && { meta_launch_url: client_uri }) };
}

interface Registration {
  readonly provider: Record<string, unknown>;
  readonly scopes: readonly ManagedScope[];
}

/** RFC 7591 §3.2.1: the registered metadata, which may be less than requested. */
function answerOf(metadata: ClientMetadata, { provider, scopes }: Registration, now: string): Record<string, unknown> {
  return {
    client_id: provider.client_id,
    client_id_issued_at: seconds(now),
    ...(provider.client_type === 'confidential' &&
      provider.client_secret !== '' && {
        client_secret: provider.client_secret,
        client_secret_expires_at: 0,
      }),
    ...metadata,
    scope: [...new Set(scopes.map(({ name }) => name))].join(' '),
  };
}
