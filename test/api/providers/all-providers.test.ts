import { expect, test } from 'vitest';
import { makeApplication, makeProvider } from '../../support/providers.ts';
import { describeOnBoth } from '../../support/server.ts';

const all = '/providers/all/';

describeOnBoth('all providers', (server) => {
  test('each provider shows its kind, and is filtered by its use', async () => {
    const { admin } = server();
    const used = await makeProvider(server());
    const free = await makeProvider(server());
    const sync = (
      await admin.post('/providers/workspace_directory/', {
        name: 'sync',
        delegated_subject: 'a@example.com',
        credentials: {},
        default_group_email_domain: 'example.com',
      })
    ).body;
    const { slug, name } = await makeApplication(server(), { provider: used.pk, backchannel_providers: [sync.pk] });
    const keys = async (query: string) =>
      (await admin.get(`${all}?page_size=1000&${query}`)).body.results.map(({ pk }: { pk: number }) => pk).sort();
    const sorted = (...pks: number[]) => pks.sort();
    expect(await keys('')).toEqual(sorted(used.pk, free.pk, sync.pk));
    expect(await keys('application__isnull=true')).toEqual([free.pk]);
    expect(await keys('application__isnull=false')).toEqual(sorted(used.pk, sync.pk));
    expect(await keys('backchannel=true')).toEqual([sync.pk]);
    expect(await keys('backchannel=false')).toEqual(sorted(used.pk, free.pk));
    expect((await admin.get(`${all}?backchannel=x`)).status).toBe(400);
    expect((await admin.get(`${all}${used.pk}/`)).body).toEqual({
      pk: used.pk,
      name: used.name,
      authentication_flow: null,
      authorization_flow: used.authorization_flow,
      invalidation_flow: null,
      property_mappings: [],
      component: 'xak-provider-oauth2-form',
      assigned_application_slug: slug,
      assigned_application_name: name,
      assigned_backchannel_application_slug: '',
      assigned_backchannel_application_name: '',
      verbose_name: 'OAuth2/OpenID Provider',
      verbose_name_plural: 'OAuth2/OpenID Providers',
      meta_model_name: 'svc_providers_oauth2.oauth2provider',
    });
    expect((await admin.get(`${all}${sync.pk}/`)).body).toMatchObject({
      authorization_flow: null,
      assigned_application_slug: '',
      assigned_backchannel_application_slug: slug,
      meta_model_name: 'svc_providers_workspace_directory.workspacedirectoryprovider',
    });
  });

  test('the types that can be made are listed', async () => {
    const { body } = await server().admin.get(`${all}types/`);
    expect(body.map(({ model_name }: { model_name: string }) => model_name)).toEqual([
      'clouddirectoryprovider',
      'ldapprovider',
      'oauth2provider',
      'proxyprovider',
      'radiusprovider',
      'samlprovider',
      'scimprovider',
      'workspacedirectoryprovider',
    ]);
    expect(body[2]).toMatchObject({ name: 'OAuth2/OpenID Provider', component: 'xak-provider-oauth2-form' });
  });

  test('the permission on one kind shows and deletes that kind only', async () => {
    const made = await makeProvider(server());
    const other = await server().admin.post('/providers/workspace_directory/', {
      name: 'other kind',
      delegated_subject: 'a@example.com',
      credentials: {},
      default_group_email_domain: 'example.com',
    });
    const keeper = await server().user([
      'svc_providers_oauth2.view_oauth2provider',
      'svc_providers_oauth2.delete_oauth2provider',
    ]);
    expect((await keeper.api.get(`${all}${made.pk}/`)).status).toBe(200);
    expect((await keeper.api.get(`${all}${other.body.pk}/`)).status).toBe(404);
    expect((await keeper.api.delete(`${all}${other.body.pk}/`)).status).toBe(404);
    expect((await keeper.api.delete(`${all}${made.pk}/`)).status).toBe(204);
    expect((await server().admin.get(`/providers/oauth2/${made.pk}/`)).status).toBe(404);
    expect((await (await server().user()).api.get(all)).status).toBe(403);
  });
});
