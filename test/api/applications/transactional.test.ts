import { expect, test } from 'vitest';
import { makeApplication, makeFlow } from '../../support/providers.ts';
import { describeOnBoth } from '../../support/server.ts';

const path = '/core/transactional/applications/';
const model = 'svc_providers_oauth2.oauth2provider';

describeOnBoth('an application together with its provider', (server) => {
  const body = async (slug: string) => ({
    app: { name: slug, slug },
    provider_model: model,
    provider: { name: slug, authorization_flow: await makeFlow(server()), redirect_uris: [] },
  });

  test('is created, linked and recorded', async () => {
    const { admin } = server();
    const { status, body: answer } = await admin.put(path, await body('both'));
    expect(status).toBe(200);
    const application = (await admin.get('/core/applications/both/')).body;
    const provider = (await admin.get(`/providers/oauth2/${application.provider}/`)).body;
    expect(answer).toEqual({
      applied: true,
      logs: [],
      issuer: `${server().world.config.publicUrl}/application/o/both/`,
      client_id: provider.client_id,
      client_secret: provider.client_secret,
    });
    expect(application.provider_obj).toMatchObject({ name: 'both', assigned_application_slug: 'both' });
    const { results } = (await admin.get('/events/events/?action=model_created&page_size=1000')).body;
    const made = results
      .map(({ context }: { context: { model: { model_name: string; name: string } } }) => context.model)
      .filter(({ name }: { name: string }) => name === 'both')
      .map(({ model_name }: { model_name: string }) => model_name);
    expect(made.sort()).toEqual(['application', 'oauth2provider']);
  });

  test('is not created when either is invalid, and all complaints come at once', async () => {
    const { admin } = server();
    await makeApplication(server(), { slug: 'is-taken' });
    const whole = await body('neither');
    const app = { name: '', slug: 'is-taken' };
    const taken = 'Application with this slug already exists.';
    const refusals: [Record<string, unknown>, Record<string, unknown>][] = [
      [{ ...whole, app }, { app: { name: ['This field may not be blank.'], slug: [taken] } }],
      [
        { ...whole, provider: { ...whole.provider, name: null } },
        { provider: { name: ['This field may not be null.'] } },
      ],
      [
        { ...whole, app: { name: 'n', slug: 'is-taken' }, provider: {} },
        {
          app: { slug: [taken] },
          provider: {
            name: ['This field is required.'],
            redirect_uris: ['This field is required.'],
          },
        },
      ],
      [
        { ...whole, provider_model: 'svc_providers_rac.racprovider' },
        { provider_model: [expect.stringContaining('This server does not support it yet.')] },
      ],
      [
        { ...whole, provider_model: 'svc_core.user' },
        { provider_model: [expect.stringContaining('"svc_core.user" is not a valid choice.')] },
      ],
      [
        {},
        {
          app: ['This field is required.'],
          provider_model: ['This field is required.'],
          provider: ['This field is required.'],
        },
      ],
      [{ ...whole, app: [] }, { app: ['Value must be a dictionary, and not have any duplicate keys.'] }],
    ];
    for (const [given, complaints] of refusals) {
      const answer = await admin.put(path, given);
      expect([answer.status, answer.body]).toEqual([400, complaints]);
    }
    expect((await admin.get('/providers/all/?search=neither')).body.results).toEqual([]);
    expect((await admin.get('/core/applications/neither/')).status).toBe(404);
  });

  test('requires the permission to add both', async () => {
    const add = ['svc_core.add_application', 'svc_providers_oauth2.add_oauth2provider'];
    const whole = await body('by-right');
    for (const permissions of [[], [add[0] as string], [add[1] as string]]) {
      expect((await (await server().user(permissions)).api.put(path, whole)).status).toBe(403);
    }
    expect((await server().nobody.put(path, whole)).status).toBe(403);
    const adder = await server().user(add);
    expect((await adder.api.put(`${path}?dry_run=true`, whole)).status).toBe(200);
    expect((await server().admin.get('/core/applications/by-right/')).status).toBe(404);
    expect((await adder.api.put(path, whole)).status).toBe(200);
  });

  test('is created with its bindings, or not at all', async () => {
    const { admin } = server();
    const group = (await admin.post('/core/groups/', { name: 'with bindings' })).body.pk;
    const whole = { ...(await body('bound')), policy_bindings: [{ group }] };
    const broken = await admin.put(path, { ...whole, policy_bindings: [{ group }, { order: 3 }] });
    expect([broken.status, broken.body]).toEqual([
      400,
      { policy_bindings: { non_field_errors: ["One of 'policy', 'group' or 'user' must be set."] } },
    ]);
    expect((await admin.get('/core/applications/bound/')).status).toBe(404);
    const add = ['svc_core.add_application', 'svc_core.change_application', 'svc_providers_oauth2.add_oauth2provider'];
    expect((await (await server().user(add)).api.put(path, whole)).status).toBe(403);
    expect((await admin.put(path, whole)).status).toBe(200);
    const { pk } = (await admin.get('/core/applications/bound/')).body;
    const { results } = (await admin.get(`/policies/bindings/?target=${pk}`)).body;
    expect(results.map((one: Record<string, unknown>) => [one.group, one.order])).toEqual([[group, 0]]);
  });
});
