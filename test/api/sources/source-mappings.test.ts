import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import { describeOnBoth } from '../../support/server.ts';
import { makeSource, unique } from './fixtures.ts';

const kinds = [
  ['mediasrc', 'Mediasrc', 'svc_sources_mediasrc.mediasrcsourcepropertymapping'],
  ['oauth', 'OAuth', 'svc_sources_oauth.oauthsourcepropertymapping'],
  ['saml', 'SAML', 'svc_sources_saml.samlsourcepropertymapping'],
  ['scim', 'SCIM', 'svc_sources_scim.scimsourcepropertymapping'],
] as const;

describeOnBoth('property mappings of sources', (server) => {
  test.each(kinds)('%s: are made, read, changed and deleted', async (kind, word, model) => {
    const { admin } = server();
    const path = `/propertymappings/source/${kind}/`;
    const name = unique('mapping');
    const events = await eventsDuring(server(), async () => {
      const made = await admin.post(path, { name, expression: 'return { name: info.title }' });
      expect([made.status, made.body]).toEqual([
        201,
        {
          pk: expect.any(String),
          managed: null,
          name,
          expression: 'return { name: info.title }',
          component: `xak-property-mapping-source-${kind}-form`,
          verbose_name: `${word} Source Property Mapping`,
          verbose_name_plural: `${word} Source Property Mappings`,
          meta_model_name: model,
        },
      ]);
      const one = `${path}${made.body.pk}/`;
      expect((await admin.patch(one, { expression: 'return {}' })).body.expression).toBe('return {}');
      expect((await admin.get(`${path}?name=${name}`)).body.results).toHaveLength(1);
      expect((await admin.get(`/propertymappings/all/${made.body.pk}/`)).body.meta_model_name).toBe(model);
      expect((await admin.delete(one)).status).toBe(204);
      expect((await admin.get(one)).status).toBe(404);
    });
    expect(events.map(({ action }) => action)).toEqual(['model_created', 'model_updated', 'model_deleted']);
  });

  test.each(kinds)('%s: what cannot be parsed is refused, and a name is taken by any kind', async (kind) => {
    const { admin } = server();
    const path = `/propertymappings/source/${kind}/`;
    const broken = await admin.post(path, { name: unique('broken'), expression: 'return {' });
    expect(broken.status).toBe(400);
    expect(broken.body.expression[0]).toMatch(/^Expression Syntax Error: /);
    const name = unique('mapping');
    await admin.post('/propertymappings/source/oauth/', { name, expression: 'return {}' });
    const taken = await admin.post(path, { name, expression: 'return {}' });
    expect(taken.body).toEqual({ name: ['Property Mapping with this name already exists.'] });
    expect((await (await server().user()).api.get(path)).status).toBe(403);
  });

  test('a mapping knows the sources that use it, and leaves them when it goes', async () => {
    const { admin } = server();
    const { body: mapping } = await admin.post('/propertymappings/source/mediasrc/', {
      name: unique('mapping'),
      expression: 'return {}',
    });
    const source = await makeSource(server(), 'mediasrc', { plex_token: 't', user_property_mappings: [mapping.pk] });
    const used = await admin.get(`/propertymappings/source/mediasrc/${mapping.pk}/used_by/`);
    expect(used.body).toEqual([
      {
        app: 'svc_sources_mediasrc',
        model_name: 'mediasrcsource',
        pk: source.pk,
        name: source.name,
        action: 'cascade_many',
      },
    ]);
    await admin.delete(`/propertymappings/source/mediasrc/${mapping.pk}/`);
    expect((await admin.get(`/sources/mediasrc/${source.slug}/`)).body.user_property_mappings).toEqual([]);
  });
});
