import type { Demo } from '../../../core/kind/demo.ts';
import type { DemoProvider } from '../../../provider/provider-kind.ts';

/** A dashboard without a sign-in of its own. */
export async function proxyDemo({ api }: Demo): Promise<DemoProvider> {
  const provider = await api.ensure(
    '/providers/proxy/',
    { name: 'Demo Dashboard' },
    { mode: 'forward_single', external_host: 'https://dashboard.example.com' },
  );
  return {
    provider,
    application: { slug: 'demo-dashboard', name: 'Demo Dashboard', meta_description: 'Figures of the demo company' },
  };
}
