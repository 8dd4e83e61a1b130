import { expect, test } from 'vitest';
import { describeOnBoth, describeOnSqlite } from '../support/server.ts';

const strict = { prefer: 'handling=strict' };

describeOnBoth('Prefer: handling=strict', (server) => {
  test('refuses unknown members with the one that was meant', async () => {
    const { admin } = server();
    const { status, body, headers } = await admin.post(
      '/core/groups/',
      { nam: 'x', is_superusr: true, zzzzzz: 1 },
      strict,
    );
    expect(status).toBe(400);
    expect(headers.get('preference-applied')).toBe('handling=strict');
    expect(body).toEqual({
      nam: ['There is no such member. Did you mean "name"?'],
      is_superusr: ['There is no such member. Did you mean "is_superuser"?'],
      zzzzzz: [expect.stringContaining('There is no such member.')],
    });
  });

  test('refuses unknown members of objects in lists and in objects', async () => {
    const { admin } = server();
    const uris = [
      { matching_mode: 'strict', url: 'https://app.example/' },
      { matching_mode: 'strict', url: 'https://app.example/', ur: 'x' },
    ];
    const flow = 'default-provider-authorization-implicit-consent';
    const provider = { name: 'strictly nested', authorization_flow: flow, redirect_uris: uris };
    const refused = await admin.post('/providers/oauth2/?dry_run=true', provider, strict);
    expect([refused.status, refused.body]).toEqual([
      400,
      { redirect_uris: { 1: ['ur: There is no such member. Did you mean "url"?'] } },
    ]);
    expect((await admin.post('/providers/oauth2/?dry_run=true', provider)).status).toBe(201);
    const both = {
      app: { name: 'x', slug: 'strictly-nested', grup: 'x' },
      provider_model: 'svc_providers_oauth2.oauth2provider',
      provider: { ...provider, redirect_uris: uris.slice(0, 1), nam: 'x' },
    };
    const made = await admin.put('/core/transactional/applications/?dry_run=true', both, strict);
    expect([made.status, made.body]).toEqual([
      400,
      {
        app: { grup: ['There is no such member. Did you mean "group"?'] },
        provider: { nam: ['There is no such member. Did you mean "name"?'] },
      },
    ]);
    expect((await admin.put('/core/transactional/applications/?dry_run=true', both)).status).toBe(200);
  });

  test('refuses unknown filters with the one that was meant', async () => {
    const { status, body } = await server().admin.get('/core/groups/?is_superusers=true&page_siz=1', strict);
    expect(status).toBe(400);
    expect(body).toEqual({
      is_superusers: ['There is no such parameter. Did you mean "is_superuser"?'],
      page_siz: ['There is no such parameter. Did you mean "page_size"?'],
    });
  });

  test('accepts known members, read-only ones too', async () => {
    const { admin } = server();
    const made = await admin.post(
      '/core/groups/',
      { name: 'strictly made' },
      { prefer: 'respond-async, handling="strict"' },
    );
    expect(made.status).toBe(201);
    expect(made.headers.get('preference-applied')).toBe('handling=strict');
    const put = await admin.put(`/core/groups/${made.body.pk}/?dry_run=true`, made.body, strict);
    expect(put.status, put.text).toBe(200);
    expect((await admin.get('/core/groups/?ordering=name&page=1', strict)).status).toBe(200);
  });

  test('without it unknown names are ignored, and other preferences are not confirmed', async () => {
    const { admin } = server();
    for (const prefer of ['handling=lenient', 'return=minimal', 'nothandling=strict']) {
      const { status, headers } = await admin.get('/core/groups/?is_superusers=true', { prefer });
      expect([prefer, status, headers.get('preference-applied')]).toEqual([prefer, 200, null]);
    }
    expect((await admin.post('/core/groups/?dry_run=true', { name: 'n', nam: 'x' })).status).toBe(201);
  });
});

describeOnSqlite('kinds that are not supported yet', (server) => {
  test('are refused with a message that says so, on every path and method', async () => {
    const { admin, app } = server();
    const model = 'svc_providers_rac.racprovider';
    expect(app.engine.registry.resources.map((resource) => resource.model)).not.toContain(model);
    for (const answer of [
      await admin.get('/providers/rac/'),
      await admin.post('/providers/rac/', { name: 'x' }),
      await admin.delete('/providers/rac/1/'),
      await admin.get('/propertymappings/provider/rac/'),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
      expect(answer.body.detail).toContain('This version of Gatehouse does not have');
    }
    expect((await admin.get('/providers/nonsense/')).body.detail).toBe('Not found.');
  });
});

describeOnBoth('references by slug', (server) => {
  test('flows are named by slug in bodies and filters, alone and in lists', async () => {
    const { admin } = server();
    const slug = 'default-authentication-flow';
    const { body: flow } = await admin.get(`/flows/instances/${slug}/`);
    const stage = await admin.post('/stages/password/', {
      name: 'by slug',
      backends: ['svc.core.auth.InbuiltBackend'],
      configure_flow: slug,
    });
    expect([stage.status, stage.body.configure_flow]).toEqual([201, flow.pk]);
    const changed = await admin.patch(`/stages/password/${stage.body.pk}/`, {
      configure_flow: 'default-password-change',
    });
    expect(changed.body.configure_flow).not.toBe(flow.pk);
    const listed = await admin.get('/stages/password/?configure_flow=default-password-change');
    expect(listed.body.results.map(({ pk }: { pk: string }) => pk)).toContain(stage.body.pk);
    const none = await admin.patch(`/stages/password/${stage.body.pk}/`, { configure_flow: 'no-such-flow' });
    expect([none.status, none.body]).toEqual([400, { configure_flow: ['“no-such-flow” is not a valid UUID.'] }]);
  });

  test('sources are named by slug in lists', async () => {
    const { admin } = server();
    const source = await admin.post('/sources/scim/', { name: 'People', slug: 'people-by-slug' });
    const stage = await admin.post('/stages/identification/', { name: 'who', sources: ['people-by-slug'] });
    expect([stage.status, stage.body.sources]).toEqual([201, [source.body.pk]]);
  });

  test('the document says where a slug is taken', async () => {
    const { body } = await server().nobody.get('/schema/');
    const { configure_flow } = body.components.schemas.PasswordStageRequest.properties;
    expect(configure_flow).not.toHaveProperty('format');
    expect(configure_flow.description).toContain('Given by key or by slug.');
    expect(body.components.schemas.PasswordStage.properties.configure_flow.format).toBe('uuid');
  });
});
