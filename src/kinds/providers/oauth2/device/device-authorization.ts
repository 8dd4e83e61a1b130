import { addMilliseconds } from '../../../../platform/clock.ts';
import { randomText, randomToken } from '../../../../platform/random.ts';
import { scopeNames } from '../client.ts';
import { authenticateClient } from '../client-authentication.ts';
import type { OAuthDependencies } from '../dependencies.ts';
import { deviceCodeGrant } from '../grant-types.ts';
import { OAuthError } from '../oauth-error.ts';
import type { OAuthEndpoint } from '../oauth-request.ts';
import { words } from '../params.ts';
import { checkAnonymousQuota, storeRequest } from '../requests.ts';
import { checkResource } from '../resource-indicators.ts';

export const devicePath = '/device';
const lifetimeSeconds = 600;
/** The polling interval of devices. */
export const pollSeconds = 5;
/** RFC 8628 §6.1: letters that form no words and are not easily confused. */
const userCodeLetters = 'BCDFGHJKLMNPQRSTVWXZ';

/** Gives a device two codes: one to keep, and one for its person to type in elsewhere (RFC 8628 §3.1). */
export function deviceAuthorizationEndpoint(needs: OAuthDependencies): OAuthEndpoint {
  return async (exchange) => {
    const { call, params } = exchange;
    const { client, method } = await authenticateClient(needs, exchange);
    if (method === 'workload' || !client.grant_types.includes(deviceCodeGrant)) {
      throw new OAuthError('unauthorized_client', 'The client may not use the device authorization grant.');
    }
    const configured = scopeNames(client);
    const scope = words(params.get('scope'));
    if (!scope.every((name) => configured.has(name))) {
      throw new OAuthError('invalid_scope', 'The client is not allowed to request all of these scopes.');
    }
    const resource = checkResource(params.all('resource'), client);
    await checkAnonymousQuota(call, 'oauth2_requests', method);
    const id = randomToken();
    const letters = randomText(8, userCodeLetters);
    const userCode = `${letters.slice(0, 4)}-${letters.slice(4)}`;
    await call.db.write((tx) =>
      storeRequest(tx, needs.key, {
        purpose: 'device',
        id,
        userCode,
        provider: client.pk,
        content: { scope, resource: [...resource] },
        now: call.now,
        expires: addMilliseconds(call.now, lifetimeSeconds * 1000),
      }),
    );
    const page = `${needs.publicUrl}${devicePath}`;
    return {
      status: 200,
      body: {
        device_code: id,
        user_code: userCode,
        verification_uri: page,
        verification_uri_complete: `${page}?code=${userCode}`,
        expires_in: lifetimeSeconds,
        interval: pollSeconds,
      },
    };
  };
}
