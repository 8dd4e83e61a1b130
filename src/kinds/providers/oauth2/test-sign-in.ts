import type { Json } from '../../../lib/json.ts';
import { randomToken } from '../../../platform/random.ts';
import { testSignInAction } from '../../../provider/test-sign-in/test-action.ts';
import { type TestMount, testRoute } from '../../../provider/test-sign-in/test-route.ts';
import { apiScope } from './api-scope.ts';
import { consentContext } from './authorize/handle-authorize.ts';
import { type Client, loadClient } from './client.ts';
import type { OAuthDependencies } from './dependencies.ts';
import { claimsOfScope, prepareTokens, sessionIdClaim } from './issue.ts';
import { OAuthError } from './oauth-error.ts';
import { oauth2Model } from './oauth2-model.ts';

type Dependencies = Pick<
  OAuthDependencies,
  'db' | 'key' | 'publicUrl' | 'installId' | 'sandbox' | 'signer' | 'refusals'
>;

/** Everything but to act as the person in the API, which no test needs. */
const testedScope = ({ scopes }: Client): string[] =>
  scopes.map(({ scope_name }) => scope_name).filter((name) => name !== apiScope);

/**
 * The path at which a test sign-in begins. An empty redirect URI is never registered, so the ticket cannot be exchanged
 * for a code.
 */
export const oauth2TestRoute = (mount: TestMount & Dependencies) =>
  testRoute(mount, {
    path: '/application/test-oauth2/',
    model: oauth2Model,
    load: (provider) => loadClient(mount, { provider }),
    async asking(call, client) {
      const request = { isTest: true, redirect_uri: '', scope: testedScope(client), prompt: [] } as const;
      return { request, context: await consentContext(mount, call.db.read, client, request) };
    },
  });

/** What an ID token and the userinfo endpoint would contain. Tokens are signed and discarded, never returned. */
export const oauth2TestAction = (needs: Dependencies) =>
  testSignInAction({
    key: needs.key,
    async tell(call, provider, { user, session, signIn }) {
      const client = await loadClient(needs, { provider });
      if (!client) return { refusal: 'No application uses the provider.' };
      const scope = testedScope(client);
      try {
        const { body } = await prepareTokens(needs, call, {
          ...{ client, user, scope, session, family: randomToken(), authTime: signIn.at },
          terms: { sid: sessionIdClaim(needs.key, session), ...(signIn.amr.length > 0 && { amr: [...signIn.amr] }) },
          gives: { access: true, id: true, refresh: false },
        });
        const id_token = claimsIn(String(body.id_token));
        const told = await claimsOfScope(needs, call, { client, user, scope });
        return { claims: { id_token, userinfo: { ...told, sub: id_token.sub ?? null } } };
      } catch (error) {
        if (error instanceof OAuthError) return { refusal: error.message };
        throw error;
      }
    },
  });

const claimsIn = (token: string): Record<string, Json> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
