import type { Demo } from '../../../core/kind/demo.ts';
import type { DemoProvider } from '../../../provider/provider-kind.ts';

/** An application that is told of people over SCIM. */
export async function scimDemo({ api, people }: Demo): Promise<DemoProvider> {
  const mappings = await api.list('/propertymappings/provider/scim/');
  const called = (name: string) =>
    mappings.filter((mapping) => String(mapping.managed).endsWith(name)).map(({ pk }) => pk);
  const provider = await api.ensure(
    '/providers/scim/',
    { name: 'Demo SCIM' },
    {
      url: 'https://192.0.2.1/scim/v2',
      token: 'none: this is demo data',
      property_mappings: called('/user'),
      property_mappings_group: called('/group'),
    },
  );
  const link = { provider: provider.pk };
  await api.ensure('/providers/scim_users/', { scim_id: 'demo-ada', ...link }, { user: people.ada.pk });
  await api.ensure('/providers/scim_groups/', { scim_id: 'demo-company', ...link }, { group: people.company.pk });
  return { provider };
}
