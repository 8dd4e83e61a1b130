import type { Config } from '../../../platform/config.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { SourceKind } from '../../../source/source-kind.ts';
import { samlDemo } from './demo.ts';
import { samlSource } from './saml.resource.ts';
import { groupSamlConnection, userSamlConnection } from './saml-connections.resource.ts';
import { samlSourceMapping } from './saml-mapping.resource.ts';

interface Needs {
  readonly config: Pick<Config, 'publicUrl'>;
  readonly sandbox: Sandbox;
}

/** People whom a SAML identity provider vouches for. */
export const saml = (needs: Needs): SourceKind => ({
  resource: samlSource(needs),
  resources: [userSamlConnection, groupSamlConnection, samlSourceMapping(needs)],
  demo: samlDemo,
});
