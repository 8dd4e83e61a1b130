import type { Demo } from '../../../core/kind/demo.ts';
import type { DemoProvider } from '../../../provider/provider-kind.ts';

const vlan = `const isGuest = user.groups.every(({ name }) => name !== 'Demo Staff');
return {
  'Tunnel-Type': 'VLAN',
  'Tunnel-Medium-Type': 'IEEE-802',
  'Tunnel-Private-Group-Id': isGuest ? '30' : '20',
};`;

/** The Wi-Fi of a building, with a VLAN by group. */
export async function radiusDemo({ api }: Demo): Promise<DemoProvider> {
  const mapping = await api.ensure(
    '/propertymappings/provider/radius/',
    { name: 'Demo: VLAN by group' },
    { expression: vlan },
  );
  const provider = await api.ensure(
    '/providers/radius/',
    { name: 'Demo Wi-Fi' },
    { client_networks: '192.0.2.0/24', property_mappings: [mapping.pk] },
  );
  return {
    provider,
    application: { slug: 'demo-wifi', name: 'Demo Wi-Fi', meta_description: 'The Wi-Fi of the demo company' },
  };
}
