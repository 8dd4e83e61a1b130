import type { Demo } from '../../core/kind/demo.ts';
import type { DemoProvider, ProviderKind } from '../../provider/provider-kind.ts';

/**
 * Lists of applications contain only those that the caller may use, also for administrators, unless all are requested.
 */
const whoeverMay = { superuser_full_list: 'true' };

/**
 * Applications that people sign in to, one for each kind of provider that signs people in, and one that is only a link.
 */
export async function makeApplications(demo: Demo, kinds: readonly ProviderKind[]): Promise<void> {
  const { api } = demo;
  const providers: DemoProvider[] = [];
  for (const kind of kinds) {
    const made = await kind.demo?.(demo);
    if (made) providers.push(made);
  }
  const policy = await api.ensure(
    '/policies/expression/',
    { name: 'Demo: only people of the demo company' },
    { expression: 'return request.user.groups.some((group) => group.name === "Demo Company");' },
  );
  let behind = providers.filter(({ application }) => !application).map(({ provider }) => provider.pk);
  for (const { provider, application, use } of providers) {
    if (!application) continue;
    const { slug, ...values } = application;
    const made = await api.ensure(
      '/core/applications/',
      { slug },
      { ...values, provider: provider.pk, backchannel_providers: behind, group: 'Demo' },
      whoeverMay,
    );
    behind = [];
    await api.ensure('/policies/bindings/', { target: made.pk, policy: policy.pk }, { order: 0 });
    await use?.(made);
  }
  await api.ensure(
    '/core/applications/',
    { slug: 'demo-handbook' },
    { name: 'Demo Handbook', group: 'Demo', meta_launch_url: 'https://handbook.example.com/' },
    whoeverMay,
  );
}
