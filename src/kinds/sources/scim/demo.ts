import type { Demo } from '../../../core/kind/demo.ts';

export async function scimDemo({ api, people }: Demo): Promise<void> {
  const { grace, company } = people;
  const mapping = await api.ensure(
    '/propertymappings/source/scim/',
    { name: 'Demo: staff record' },
    { expression: 'return { name: properties?.name ?? null };' },
  );
  const source = await api.ensure(
    '/sources/scim/',
    { slug: 'demo-staff' },
    { name: 'Demo Staff', enabled: false, user_property_mappings: [mapping.pk] },
  );
  const attributes = { displayName: 'Grace Demo' };
  await api.ensure('/sources/scim_users/', { id: 'demo-grace', source: source.pk }, { user: grace.pk, attributes });
  await api.ensure('/sources/scim_groups/', { id: 'demo-company', source: source.pk }, { group: company.pk });
}
