import type { BootstrapStep } from './steps.ts';

/** The brand for every host that has none of its own. */
export const brand: BootstrapStep = {
  name: 'brand',
  async run({ ensure, find }) {
    const flow = (slug: string) => find('svc_flows.flow', { slug });
    await ensure(
      'svc_brands.brand',
      { domain: 'gatehouse-default' },
      {
        default: true,
        flow_authentication: await flow('default-authentication-flow'),
        flow_invalidation: await flow('default-invalidation-flow'),
        flow_user_settings: await flow('default-user-settings-flow'),
      },
    );
  },
};
