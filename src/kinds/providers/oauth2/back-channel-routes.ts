import type { OAuthDependencies } from './dependencies.ts';
import { introspectionEndpoint } from './introspect.ts';
import { jwksEndpoint } from './jwks.ts';
import type { Route } from './oauth-request.ts';
import { registrationEndpoint } from './register.ts';
import { revocationEndpoint } from './revoke.ts';
import { authorizationCode } from './token/grants/authorization-code.ts';
import { clientCredentials, passwordGrant } from './token/grants/client-credentials.ts';
import { deviceCode } from './token/grants/device-code.ts';
import { refreshToken } from './token/grants/refresh-token.ts';
import { tokenExchange } from './token/grants/token-exchange.ts';
import { tokenEndpoint } from './token/handle-token.ts';
import { pathsOf } from './urls.ts';
import { userinfoEndpoint } from './userinfo.ts';

/** The ways to tokens, each a file of its own. */
const grantKinds = [authorizationCode, refreshToken, clientCredentials, passwordGrant, deviceCode, tokenExchange];

/** The endpoints that clients call directly, without a browser. */
export function backChannelRoutes(needs: OAuthDependencies): readonly Route[] {
  const [token, userinfo] = [tokenEndpoint(needs, grantKinds), userinfoEndpoint(needs)];
  const [introspection, revocation] = [introspectionEndpoint(needs), revocationEndpoint(needs)];
  return [
    ...pathsOf('token/').map((path): Route => [['POST'], path, token]),
    ...pathsOf('userinfo/').map((path): Route => [['GET', 'POST'], path, userinfo]),
    ...pathsOf('introspect/').map((path): Route => [['POST'], path, introspection]),
    ...pathsOf('revoke/').map((path): Route => [['POST'], path, revocation]),
    [['POST'], 'register/', registrationEndpoint(needs)],
    [['GET'], '{slug}/jwks/', jwksEndpoint(needs)],
  ];
}
