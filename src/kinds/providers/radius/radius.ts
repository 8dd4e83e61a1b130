import type { InstanceKey } from '../../../platform/keys.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { PolicyEngine } from '../../../policy/engine.ts';
import { createEvaluateAccess } from '../../../provider/application-access.ts';
import type { ProviderKind } from '../../../provider/provider-kind.ts';
import { radiusAccessEndpoint } from './check-access.endpoint.ts';
import { radiusDemo } from './demo.ts';
import { radiusOutpostConfig, radiusProvider } from './radius.resource.ts';
import { radiusMapping } from './radius-mapping.resource.ts';

interface Needs {
  readonly key: InstanceKey;
  readonly policies: PolicyEngine;
  readonly sandbox: Sandbox;
}

/** Networks and devices that know people by RADIUS alone. */
export const radius = (needs: Needs): ProviderKind => ({
  resource: radiusProvider(),
  endpoints: [
    radiusAccessEndpoint({
      box: needs.key.box,
      sandbox: needs.sandbox,
      evaluate: createEvaluateAccess(needs.policies),
    }),
  ],
  outpost: 'radius',
  resources: [radiusMapping(needs), radiusOutpostConfig()],
  demo: radiusDemo,
});
