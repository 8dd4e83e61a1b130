import type { Config } from '../../../platform/config.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { SourceKind } from '../../../source/source-kind.ts';
import { scimDemo } from './demo.ts';
import { scimSource } from './scim.resource.ts';
import { scimSourceMapping } from './scim-mapping.resource.ts';
import { scimGroupResource, scimUserResource } from './scim-records.resource.ts';
import { scimRoutes } from './server/routes.ts';

interface Dependencies {
  readonly config: Pick<Config, 'publicUrl'>;
  readonly key: InstanceKey;
  readonly sandbox: Sandbox;
}

/** People and groups that another system pushes in. */
export const scim = (needs: Dependencies): SourceKind => ({
  resource: scimSource(needs),
  resources: [scimUserResource, scimGroupResource, scimSourceMapping(needs)],
  routes: (server) => scimRoutes({ ...needs, publicUrl: needs.config.publicUrl }, server),
  uncachedTables: ['scim_source_users', 'scim_source_groups'],
  demo: scimDemo,
});
