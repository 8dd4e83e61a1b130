import type { Config } from '../../../platform/config.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { ProviderKind } from '../../../provider/provider-kind.ts';
import { samlDemo } from './demo.ts';
import { metadataEndpoint } from './metadata.endpoint.ts';
import { samlProvider } from './saml.resource.ts';
import { samlMapping } from './saml-mapping.resource.ts';
import { createKeyOf } from './signing-key.ts';
import { issuerOf } from './urls.ts';

interface Needs {
  readonly config: Pick<Config, 'publicUrl'>;
  readonly key: InstanceKey;
  readonly installId: string;
  readonly sandbox: Sandbox;
}

/** SAML 2.0: this server as the identity provider of applications. */
export function samlIdp(needs: Needs): ProviderKind {
  const keyOf = createKeyOf(needs.key.box);
  return {
    resource: samlProvider(needs),
    clientFacts: ({ issuer }, slug) => ({ issuer: issuerOf(needs.config.publicUrl, { issuer: String(issuer), slug }) }),
    resources: [samlMapping(needs)],
    endpoints: [metadataEndpoint({ ...needs, keyOf })],
    demo: samlDemo,
  };
}
