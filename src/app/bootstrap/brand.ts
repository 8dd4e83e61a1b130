import { sql } from 'kysely';
import type { BootstrapStep } from './steps.ts';

/** The brand for every host that has none of its own. */
export const brand: BootstrapStep = {
  name: 'brand',
  async run({ ensure, find, tx }) {
    const flow = (slug: string) => find('svc_flows.flow', { slug });
    const flows = {
      flow_authentication: await flow('default-authentication-flow'),
      flow_invalidation: await flow('default-invalidation-flow'),
      flow_user_settings: await flow('default-user-settings-flow'),
    };
    const brand = await ensure('svc_brands.brand', { domain: 'gatehouse-default' }, { default: true, ...flows });
    // One that lost its flows when they were deleted gets them back.
    for (const [name, pk] of Object.entries(flows)) {
      await sql`update brands set ${sql.ref(name)} = ${pk} where pk = ${brand} and ${sql.ref(name)} is null`.execute(
        tx,
      );
    }
  },
};
