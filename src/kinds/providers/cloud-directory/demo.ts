import type { Demo } from '../../../core/kind/demo.ts';
import type { DemoProvider } from '../../../provider/provider-kind.ts';

/** A cloud directory that people are copied to. */
export async function cloudDirectoryDemo({ api, people }: Demo): Promise<DemoProvider> {
  const mappings = await api.list('/propertymappings/provider/cloud_directory/');
  const called = (name: string) =>
    mappings.filter((mapping) => String(mapping.managed).endsWith(name)).map(({ pk }) => pk);
  const provider = await api.ensure(
    '/providers/cloud_directory/',
    { name: 'Demo Cloud' },
    {
      client_id: 'demo',
      client_secret: 'none: this is demo data',
      tenant_id: 'demo',
      login_url: 'https://192.0.2.1',
      graph_url: 'https://192.0.2.1',
      property_mappings: called('/user'),
      property_mappings_group: called('/group'),
    },
  );
  const link = { provider: provider.pk };
  await api.ensure('/providers/cloud_directory_users/', { microsoft_id: 'demo-ada', ...link }, { user: people.ada.pk });
  await api.ensure(
    '/providers/cloud_directory_groups/',
    { microsoft_id: 'demo-company', ...link },
    { group: people.company.pk },
  );
  return { provider };
}
