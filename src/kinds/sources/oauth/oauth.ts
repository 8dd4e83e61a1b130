import type { Config } from '../../../platform/config.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { SourceKind } from '../../../source/source-kind.ts';
import { oauthDemo } from './demo.ts';
import { oauthSource } from './oauth.resource.ts';
import { groupOAuthConnection, userOAuthConnection } from './oauth-connections.resource.ts';
import { oauthSourceMapping } from './oauth-mapping.resource.ts';

interface Needs {
  readonly config: Pick<Config, 'publicUrl'>;
  readonly sandbox: Sandbox;
}

/** People who have an account with an OAuth 2 or OpenID Connect service. */
export const oauth = (needs: Needs): SourceKind => ({
  resource: oauthSource(needs),
  resources: [userOAuthConnection, groupOAuthConnection, oauthSourceMapping(needs)],
  demo: oauthDemo,
});
