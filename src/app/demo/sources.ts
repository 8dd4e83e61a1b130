import type { DemoWorld } from './demo-world.ts';
import type { DemoPeople } from './people.ts';

/** One source of each kind, how what it says is read, and who is linked to whom there. All of them are switched off. */
export async function makeSources(demo: DemoWorld, people: DemoPeople): Promise<void> {
  await makeMediaSource(demo, people);
  await makeOAuthSource(demo, people);
  await makeSamlSource(demo, people);
  await makeScimSource(demo, people);
}

const expression = 'return { name: properties?.name ?? null };';

async function makeMediaSource({ api }: DemoWorld, { ada, engineering }: DemoPeople): Promise<void> {
  const mapping = await api.ensure(
    '/propertymappings/source/mediasrc/',
    { name: 'Demo: media account' },
    { expression },
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

async function makeOAuthSource({ api }: DemoWorld, { ada, engineering }: DemoPeople): Promise<void> {
  const mapping = await api.ensure('/propertymappings/source/oauth/', { name: 'Demo: social account' }, { expression });
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

const groupConnection = 'svc_sources_saml.groupsamlsourceconnection';

async function makeSamlSource({ api, once, insert, now }: DemoWorld, { grace, company }: DemoPeople): Promise<void> {
  const mapping = await api.ensure('/propertymappings/source/saml/', { name: 'Demo: partner account' }, { expression });
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
  // Groups are linked by what a partner asserts at sign-in; there is no request for it.
  const link = { identifier: 'demo-company', source: source.pk };
  await once('group_source_connections', link, (tx) =>
    insert(tx, groupConnection, { ...link, group: company.pk, kind: groupConnection, created: now }),
  );
}

async function makeScimSource({ api }: DemoWorld, { grace, company }: DemoPeople): Promise<void> {
  const mapping = await api.ensure('/propertymappings/source/scim/', { name: 'Demo: staff record' }, { expression });
  const source = await api.ensure(
    '/sources/scim/',
    { slug: 'demo-staff' },
    { name: 'Demo Staff', enabled: false, user_property_mappings: [mapping.pk] },
  );
  const attributes = { displayName: 'Grace Demo' };
  await api.ensure('/sources/scim_users/', { id: 'demo-grace', source: source.pk }, { user: grace.pk, attributes });
  await api.ensure('/sources/scim_groups/', { id: 'demo-company', source: source.pk }, { group: company.pk });
}
