import type { Demo } from '../../../core/kind/demo.ts';

export async function mediasrcDemo({ api, people }: Demo): Promise<void> {
  const { ada, engineering } = people;
  const mapping = await api.ensure(
    '/propertymappings/source/mediasrc/',
    { name: 'Demo: media account' },
    { expression: 'return { name: properties?.name ?? null };' },
  );
  const source = await api.ensure(
    '/sources/mediasrc/',
    { slug: 'demo-media' },
    { name: 'Demo Media', enabled: false, plex_token: 'demo', user_property_mappings: [mapping.pk] },
  );
  const link = { identifier: 'demo-ada', source: source.pk };
  await api.ensure('/sources/user_connections/mediasrc/', link, { user: ada.pk, plex_token: 'demo' });
  const group = { identifier: 'demo-engineering', source: source.pk };
  await api.ensure('/sources/group_connections/mediasrc/', group, { group: engineering.pk });
  await api.ensure('/stages/source/', { name: 'Demo: media account' }, { source: source.pk });
}
