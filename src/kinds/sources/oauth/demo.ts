import type { Demo } from '../../../core/kind/demo.ts';

export async function oauthDemo({ api, people }: Demo): Promise<void> {
  const { ada, engineering } = people;
  const mapping = await api.ensure(
    '/propertymappings/source/oauth/',
    { name: 'Demo: social account' },
    { expression: 'return { name: properties?.name ?? null };' },
  );
  const source = await api.ensure(
    '/sources/oauth/',
    { slug: 'demo-social' },
    {
      name: 'Demo Social',
      enabled: false,
      provider_type: 'github',
      consumer_key: 'demo',
      consumer_secret: 'demo',
      user_property_mappings: [mapping.pk],
    },
  );
  await api.ensure('/sources/user_connections/oauth/', { identifier: 'demo-ada', source: source.pk }, { user: ada.pk });
  const group = { identifier: 'demo-engineering', source: source.pk };
  await api.ensure('/sources/group_connections/oauth/', group, { group: engineering.pk });
}
