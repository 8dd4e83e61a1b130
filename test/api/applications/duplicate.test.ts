import { expect, test } from 'vitest';
import { makeFlow } from '../../support/providers.ts';
import { describeOnBoth } from '../../support/server.ts';

describeOnBoth('a copy of an application', (server) => {
  const original = async (slug: string) => {
    const { admin } = server();
    const group = (await admin.post('/core/groups/', { name: `users of ${slug}` })).body.pk;
    await admin.put('/core/transactional/applications/', {
      app: { name: slug, slug, group: 'Tools', meta_description: 'What it is for.' },
      provider_model: 'svc_providers_oauth2.oauth2provider',
      provider: {
        name: slug,
        authorization_flow: await makeFlow(server()),
        redirect_uris: [{ matching_mode: 'strict', url: 'https://app.example.com/callback' }],
        access_token_validity: 'minutes=7',
      },
      policy_bindings: [{ group, negate: true }],
    });
    return { ...(await admin.get(`/core/applications/${slug}/`)).body, members: group };
  };

  test('has the settings and bindings of the original, and a client of its own', async () => {
    const { admin } = server();
    const { members, pk, provider } = await original('wiki');
    const made = await admin.post('/core/applications/wiki/duplicate/', { name: 'Wiki two', slug: 'wiki-two' });
    expect([made.status, made.body]).toEqual([
      201,
      expect.objectContaining({
        name: 'Wiki two',
        slug: 'wiki-two',
        group: 'Tools',
        meta_description: 'What it is for.',
      }),
    ]);
    expect(made.body.pk).not.toBe(pk);
    const [before, after] = [
      (await admin.get(`/providers/oauth2/${provider}/`)).body,
      (await admin.get(`/providers/oauth2/${made.body.provider}/`)).body,
    ];
    expect(after).toMatchObject({
      name: 'Wiki two',
      redirect_uris: before.redirect_uris,
      property_mappings: before.property_mappings,
      access_token_validity: 'minutes=7',
    });
    expect(after.client_id).not.toBe(before.client_id);
    expect(after.client_secret).not.toBe(before.client_secret);
    const bindings = (await admin.get(`/policies/bindings/?target=${made.body.pk}`)).body.results;
    expect(bindings.map((one: Record<string, unknown>) => [one.group, one.negate])).toEqual([[members, true]]);
  });

  test('has the icon of the original, which stays when the original is deleted', async () => {
    const { admin } = server();
    await original('pictured');
    const form = new FormData();
    form.set('file', new Blob(['<svg xmlns="http://www.w3.org/2000/svg"/>']), 'icon.svg');
    expect((await admin.send('POST', '/core/applications/pictured/set_icon/', form)).status).toBe(200);
    const icon = (await admin.get('/core/applications/pictured/')).body.meta_icon;
    const copy = { name: 'copy of pictured', slug: 'copy-of-pictured' };
    const made = await admin.post('/core/applications/pictured/duplicate/', copy);
    expect(icon).toBeTruthy();
    expect(made.body.meta_icon).toBe(icon);
    await admin.delete('/core/applications/pictured/');
    expect((await fetch(new URL(icon, server().url))).status).toBe(200);
    await admin.delete('/core/applications/copy-of-pictured/');
    expect((await fetch(new URL(icon, server().url))).status).toBe(404);
  });

  test('is for no user where the original was for a group that is gone', async () => {
    const { admin } = server();
    const { members, pk } = await original('lost');
    const [{ pk: binding }] = (await admin.get(`/policies/bindings/?target=${pk}`)).body.results;
    await admin.patch(`/policies/bindings/${binding}/`, { negate: false });
    expect((await admin.delete(`/core/groups/${members}/`)).status).toBe(204);
    const copy = { name: 'copy of lost', slug: 'copy-of-lost' };
    const made = await admin.post('/core/applications/lost/duplicate/', copy);
    expect([made.status, made.text]).toEqual([201, expect.any(String)]);
    const bindings = (await admin.get(`/policies/bindings/?target=${made.body.pk}`)).body.results;
    expect(bindings).toMatchObject([{ policy: null, group: null, user: null, negate: false, enabled: true }]);
    const { api } = await server().user();
    expect((await api.get('/core/applications/copy-of-lost/check_access/')).body.passing).toBe(false);
  });

  test('is refused as a whole where its name is taken or the caller may not make a part of it', async () => {
    const { admin } = server();
    await original('taken');
    const copy = { name: 'copy of taken', slug: 'copy-of-taken' };
    const path = '/core/applications/taken/duplicate/';
    expect((await admin.post(path, { ...copy, slug: 'taken' })).body).toEqual({
      slug: ['Application with this slug already exists.'],
    });
    expect((await admin.post(path, { ...copy, name: 'taken' })).body.non_field_errors[0]).toContain('cannot be copied');
    const needed = [
      ...['svc_core.view_application', 'svc_core.add_application', 'svc_core.change_application'],
      ...['svc_providers_oauth2.view_oauth2provider', 'svc_providers_oauth2.add_oauth2provider'],
      'svc_policies.add_policybinding',
    ];
    for (const missing of needed) {
      const { api } = await server().user(needed.filter((one) => one !== missing));
      expect([missing, (await api.post(path, copy)).status]).toEqual([missing, 403]);
    }
    expect((await admin.get('/core/applications/copy-of-taken/')).status).toBe(404);
    const { api } = await server().user([...needed, 'svc_flows.view_flow', 'svc_core.view_group']);
    expect((await api.post(path, copy)).status).toBe(201);
  });
});
