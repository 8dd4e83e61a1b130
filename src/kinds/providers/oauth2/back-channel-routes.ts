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
import { userinfoEndpoint } from './userinfo.ts';

/** The ways to tokens, each a file of its own. */
const grantKinds = [authorizationCode, refreshToken, clientCredentials, passwordGrant, deviceCode, tokenExchange];

/** What clients ask the server directly, with no browser between them. */
export const backChannelRoutes = (needs: OAuthDependencies): readonly Route[] => [
  [['POST'], 'token/', tokenEndpoint(needs, grantKinds)],
  [['GET', 'POST'], 'userinfo/', userinfoEndpoint(needs)],
  [['POST'], 'introspect/', introspectionEndpoint(needs)],
  [['POST'], 'revoke/', revocationEndpoint(needs)],
  [['POST'], 'register/', registrationEndpoint(needs)],
  [['GET'], '{slug}/jwks/', jwksEndpoint(needs)],
];
