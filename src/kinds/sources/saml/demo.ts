import type { Demo } from '../../../core/kind/demo.ts';
import { groupSamlConnection } from './saml-connections.resource.ts';

export async function samlDemo({ api, people, once, insert, now }: Demo): Promise<void> {
  const { grace, company } = people;
  const mapping = await api.ensure(
    '/propertymappings/source/saml/',
    { name: 'Demo: partner account' },
    { expression: 'return { name: properties?.name ?? null };' },
  );
  // A page of flows, as our own API answers.
  const { results } = (await api.get('/flows/instances/?designation=stage_configuration')) as {
    results: { pk: string }[];
  };
  const source = await api.ensure(
    '/sources/saml/',
    { slug: 'demo-partner' },
    {
      name: 'Demo Partner',
      enabled: false,
      pre_authentication_flow: results[0]?.pk,
      sso_url: 'https://partner.example.com/sso',
      user_property_mappings: [mapping.pk],
    },
  );
  await api.ensure(
    '/sources/user_connections/saml/',
    { identifier: 'demo-grace', source: source.pk },
    { user: grace.pk },
  );
  // Groups are linked at sign-in; the API has no operation for it.
  const { model, table } = groupSamlConnection;
  const link = { identifier: 'demo-company', source: source.pk };
  await once(table, link, (tx) => insert(tx, model, { ...link, group: company.pk, kind: model, created: now }));
}
