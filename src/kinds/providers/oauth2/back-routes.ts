import { jwksEndpoint } from './jwks.ts';
import type { OAuthNeeds } from './needs.ts';
import type { Route } from './oauth-edge.ts';
import { authorizationCode } from './token/grants/authorization-code.ts';
import { refreshToken } from './token/grants/refresh-token.ts';
import { tokenEndpoint } from './token/handle-token.ts';

/** What clients ask the server directly, with no browser between them. */
export const backRoutes = (needs: OAuthNeeds): readonly Route[] => [
  [['POST'], 'token/', tokenEndpoint(needs, [authorizationCode, refreshToken])],
  [['GET'], ':slug/jwks/', jwksEndpoint(needs)],
];
