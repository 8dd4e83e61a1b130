import { expect, test } from 'vitest';
import { makeApplication, makeProvider } from '../../support/providers.ts';
import { describeOnBoth } from '../../support/server.ts';
import { statementsOf } from '../../support/statements.ts';

const path = '/core/applications/';
const full = 'superuser_full_list=true&page_size=1000';
const slugsOf = (answer: { body: { results: { slug: string }[] } }) => answer.body.results.map(({ slug }) => slug);

describeOnBoth('applications', (server) => {
  const bind = async (target: string, binding: Record<string, unknown>) => {
    const { status, body } = await server().admin.post('/policies/bindings/', { target, order: 0, ...binding });
    expect([status, body]).toEqual([201, expect.anything()]);
    return body.pk as string;
  };

  test('applications are found by the flow, redirect URI and scope of their provider, by those who may view providers', async () => {
    const { admin } = server();
    const flow = (
      await admin.post('/flows/instances/', { name: 'Ask', slug: 'ask', title: 'Ask', designation: 'authorization' })
    ).body;
    const scope = (
      await admin.post('/propertymappings/provider/scope/', {
        name: 'Badge',
        scope_name: 'badge',
        expression: 'return {};',
      })
    ).body;
    const provider = await makeProvider(server(), {
      authorization_flow: flow.pk,
      property_mappings: [scope.pk],
      redirect_uris: [{ matching_mode: 'strict', url: 'https://wiki.example.org/back' }],
    });
    const { slug } = await makeApplication(server(), { provider: provider.pk });
    await makeApplication(server(), { provider: (await makeProvider(server())).pk });
    for (const filter of [`flow=${flow.pk}`, 'redirect_uri=Wiki.example', 'scope=badge'])
      expect([filter, slugsOf(await admin.get(`${path}?${full}&${filter}`))]).toEqual([filter, [slug]]);
    expect((await admin.get(`${path}?flow=x`)).body).toEqual({ flow: ['Enter a valid UUID.'] });
    const person = await server().user();
    const refused = await person.api.get(`${path}?redirect_uri=wiki`);
    expect([refused.status, refused.body]).toEqual([
      400,
      { redirect_uri: ['To filter by this takes the right to view providers.'] },
    ]);
  });

  test('a new application has every member and every default', async () => {
    const { status, body } = await server().admin.post(path, { name: 'Plain', slug: 'plain' });
    expect(status).toBe(201);
    expect(body).toEqual({
      pk: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Plain',
      enabled: true,
      access_requests: false,
      slug: 'plain',
      provider: null,
      provider_obj: null,
      backchannel_providers: [],
      backchannel_providers_obj: [],
      launch_url: null,
      open_in_new_tab: false,
      meta_launch_url: '',
      meta_icon: null,
      meta_description: '',
      meta_publisher: '',
      policy_engine_mode: 'any',
      group: '',
    });
    expect((await server().admin.get(`${path}plain/`)).body).toEqual(body);
  });

  test('an application shows its provider, and a provider serves one application', async () => {
    const { admin } = server();
    const provider = await makeProvider(server());
    const made = await makeApplication(server(), { provider: provider.pk });
    expect(made.provider_obj).toEqual((await admin.get(`/providers/all/${provider.pk}/`)).body);
    const second = await admin.post(path, { name: 'second', slug: 'second', provider: provider.pk });
    expect([second.status, second.body]).toEqual([
      400,
      { provider: ['Application with this provider already exists.'] },
    ]);
    expect((await admin.patch(`${path}${made.slug}/`, { provider: provider.pk })).status).toBe(200);
    expect((await admin.patch(`${path}${made.slug}/`, { provider: null })).body.provider_obj).toBeNull();
    expect(
      (await admin.patch(`${path}${made.slug}/`, { provider: provider.pk, slug: `new-${made.slug}` })).status,
    ).toBe(200);
    expect((await admin.get(`${path}${made.slug}/`)).status).toBe(404);
    expect((await admin.delete(`/providers/oauth2/${provider.pk}/`)).status).toBe(204);
    expect((await admin.get(`${path}new-${made.slug}/`)).body.provider).toBeNull();
  });

  test('bad bodies are refused with every complaint', async () => {
    const { admin } = server();
    await makeApplication(server(), { slug: 'taken' });
    const refusals: [Record<string, unknown>, Record<string, unknown>][] = [
      [{}, { name: ['This field is required.'], slug: ['This field is required.'] }],
      [{ name: 'n', slug: 'taken' }, { slug: ['Application with this slug already exists.'] }],
      [
        { name: 'n', slug: 'no slug' },
        { slug: ['Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.'] },
      ],
      [{ name: 'n', slug: 's', provider: 999999 }, { provider: ['Invalid pk "999999" - object does not exist.'] }],
      [
        { name: 'n', slug: 's', backchannel_providers: ['x'] },
        { backchannel_providers: ['Incorrect type. Expected pk value, received str.'] },
      ],
      [
        { name: 'n', slug: 's', policy_engine_mode: 'most' },
        { policy_engine_mode: [expect.stringContaining('"most" is not a valid choice.')] },
      ],
    ];
    for (const [body, complaints] of refusals) {
      const answer = await admin.post(path, body);
      expect([answer.status, answer.body]).toEqual([400, complaints]);
    }
  });

  test('the launch URL is the configured one or derived from the provider, and filled in for the caller', async () => {
    const { admin } = server();
    const provider = await makeProvider(server(), {
      redirect_uris: [{ matching_mode: 'strict', url: 'https://guessed.example:8443/cb?x=1' }],
    });
    const made = await makeApplication(server(), { provider: provider.pk });
    expect(made.launch_url).toBe('https://guessed.example:8443');
    const set = async (meta_launch_url: string) =>
      (await admin.patch(`${path}${made.slug}/`, { meta_launch_url })).body.launch_url;
    expect(await set('https://app.example/u/%(username)s?mail=%(email)s')).toBe(
      'https://app.example/u/admin?mail=root%40example.com',
    );
    expect(await set('https://%(username)s.app.example/')).toBe('https://admin.app.example/');
    expect(await set('')).toBe('https://guessed.example:8443');
    const tricky = await server().user(['svc_core.view_application'], { username: 'a/../b?c#d' });
    await set('https://app.example/%(username)s/home');
    const { body } = await tricky.api.get(`${path}${made.slug}/`);
    expect(body.launch_url).toBe('https://app.example/a%2F..%2Fb%3Fc%23d/home');
    await admin.patch(`/providers/oauth2/${provider.pk}/`, { redirect_uris: [] });
    expect(await set('')).toBeNull();
  });

  test('the list shows what the caller’s policies allow, with the right count', async () => {
    const { admin } = server();
    const [member, stranger] = [await server().user(), await server().user()];
    const group = (await admin.post('/core/groups/', { name: `app ${Math.random()}`, users: [member.pk] })).body.pk;
    const mark = `listed-${Math.random().toString(36).slice(2)}`;
    const make = (name: string) => makeApplication(server(), { name: `${mark} ${name}`, slug: `${mark}-${name}` });
    const [open, closed, never] = [await make('a-open'), await make('b-members'), await make('c-never')];
    await bind(closed.pk, { group });
    const policy = await admin.post('/policies/expression/', { name: mark, expression: 'return False' });
    await bind(never.pk, { policy: policy.body.pk });
    const list = (api: typeof admin, query = '') => api.get(`${path}?search=${mark}&${query}`);
    expect(slugsOf(await list(member.api))).toEqual([open.slug, closed.slug]);
    expect((await list(member.api)).body.pagination.count).toBe(2);
    expect(slugsOf(await list(stranger.api))).toEqual([open.slug]);
    expect(slugsOf(await list(stranger.api, 'superuser_full_list=true'))).toEqual([open.slug]);
    expect(slugsOf(await list(admin))).toEqual([open.slug]);
    expect(slugsOf(await list(admin, full))).toEqual([open.slug, closed.slug, never.slug]);
    expect(slugsOf(await list(member.api, 'page_size=1&page=2'))).toEqual([closed.slug]);

    expect(slugsOf(await list(admin, `for_user=${member.pk}`))).toEqual([open.slug, closed.slug]);
    const notFound = { for_user: ['User not found'] };
    expect((await list(stranger.api, `for_user=${member.pk}`)).body).toEqual(notFound);
    expect((await list(admin, 'for_user=99999999999')).body).toEqual(notFound);
    expect((await list(admin, 'for_user=x')).body).toEqual({ for_user: ['for_user must be numerical'] });
    const asker = await server().user(['svc_core.view_user_applications']);
    expect(slugsOf(await list(asker.api, `for_user=${member.pk}`))).toEqual([open.slug, closed.slug]);
    expect((await server().nobody.get(path)).status).toBe(403);
  });

  test('policies see the application, and a list records no events', async () => {
    const { admin } = server();
    const mark = `seen-${Math.random().toString(36).slice(2)}`;
    const policy = await admin.post('/policies/expression/', {
      name: mark,
      expression: `return request.obj.slug === "${mark}-yes"`,
      execution_logging: true,
    });
    for (const slug of [`${mark}-yes`, `${mark}-no`]) {
      const { pk } = await makeApplication(server(), { name: slug, slug });
      await bind(pk, { policy: policy.body.pk });
    }
    const count = async () => (await admin.get('/events/events/?page_size=1')).body.pagination.count;
    const before = await count();
    expect(slugsOf(await admin.get(`${path}?search=${mark}`))).toEqual([`${mark}-yes`]);
    expect(await count()).toBe(before);
  });

  test('a list takes the same number of statements for any number of applications and bindings', async () => {
    const { admin } = server();
    const everyone = (await admin.post('/core/groups/', { name: `every ${Math.random()}` })).body.pk;
    const count = async () => {
      await bind((await makeApplication(server())).pk, { group: everyone });
      return (await statementsOf(server(), () => admin.get(`${path}?page_size=1000`))).length;
    };
    // Once for what is kept from one list to the next, whatever is added meanwhile.
    await count();
    // The server may do something of its own meanwhile, but not every time.
    const first = [await count(), await count()];
    for (let made = 0; made < 8; made++) await count();
    const last = [await count(), await count()];
    expect(Math.min(...last)).toBe(Math.min(...first));
  });

  test('the list of applications is narrowed by every filter', async () => {
    const { admin } = server();
    const values = {
      name: 'Filtered',
      slug: 'filtered',
      group: 'a group',
      meta_description: 'described',
      meta_publisher: 'published',
      meta_launch_url: 'https://filtered.example/',
    };
    await makeApplication(server(), values);
    for (const [name, value] of Object.entries(values)) {
      expect([name, slugsOf(await admin.get(`${path}?${full}&${name}=${value}`))]).toEqual([name, ['filtered']]);
    }
    const launchable = slugsOf(await admin.get(`${path}?${full}&only_with_launch_url=true`));
    expect(launchable).toContain('filtered');
    expect(launchable).not.toContain('plain');
  });

  test('check_access tells signed-in callers whether they may use an application', async () => {
    const { admin } = server();
    const member = await server().user();
    const { pk, slug } = await makeApplication(server());
    const check = async (api: typeof admin, query = '') => (await api.get(`${path}${slug}/check_access/${query}`)).body;
    const plain = { messages: [], log_messages: [] };
    expect(await check(member.api)).toEqual({ passing: true, ...plain });
    const policy = await admin.post('/policies/expression/', {
      name: `check ${slug}`,
      expression: 'message("not you"); log("looked at"); return request.user.username === "admin"',
    });
    await bind(pk, { policy: policy.body.pk });
    expect(await check(member.api)).toEqual({ passing: false, ...plain });
    expect(await check(admin)).toMatchObject({ passing: true });
    expect(await check(admin, `?for_user=${member.pk}`)).toMatchObject({ passing: false, messages: ['not you'] });
    const decided = async (query: string) =>
      (await check(admin, query)).log_messages.map(({ event }: { event: string }) => event);
    expect(await decided(`?for_user=${member.pk}`)).toEqual(['looked at', `Refused by the policy check ${slug}.`]);
    const group = (await admin.post('/core/groups/', { name: `staff of ${slug}`, users: [member.pk] })).body;
    await bind(pk, { group: group.pk, order: 1 });
    expect(await decided(`?for_user=${member.pk}`)).toContain(`Let in by the group staff of ${slug}.`);
    expect(await check(member.api, '?for_user=1')).toEqual({ for_user: ['User not found'] });
    expect((await member.api.get(`${path}no-such-app/check_access/`)).status).toBe(404);
    expect((await server().nobody.get(`${path}${slug}/check_access/`)).status).toBe(403);
    // Asking is not seeing, whatever the application is called.
    expect((await member.api.get(`${path}${slug}/`)).status).toBe(403);
    await admin.post(path, { name: 'Odd', slug: 'check_access' });
    expect((await member.api.get(`${path}check_access/`)).status).toBe(403);
    expect((await member.api.get(`${path}${slug}/used_by/`)).status).toBe(403);
  });

  test('administering applications needs permissions', async () => {
    const { slug } = await makeApplication(server());
    const viewer = await server().user(['svc_core.view_application']);
    expect((await viewer.api.get(`${path}${slug}/`)).status).toBe(200);
    for (const [method, target] of [
      ['PATCH', `${path}${slug}/`],
      ['DELETE', `${path}${slug}/`],
      ['POST', path],
    ] as const) {
      expect((await viewer.api.send(method, target, { name: 'x', slug: 'x' })).status).toBe(403);
    }
    const changer = await server().user(['svc_core.view_application', 'svc_core.change_application']);
    expect((await changer.api.patch(`${path}${slug}/`, { name: 'changed' })).body.name).toBe('changed');
    const blind = await server().user(['svc_core.change_application']);
    expect((await blind.api.patch(`${path}${slug}/`, { name: 'x' })).status).toBe(403);
  });

  test('an icon is uploaded, named or cleared', async () => {
    const { admin } = server();
    const { slug } = await makeApplication(server());
    const icon = async () => (await admin.get(`${path}${slug}/`)).body.meta_icon;
    expect((await admin.post(`${path}${slug}/set_icon_url/`, { url: 'https://cdn.example/i.png' })).status).toBe(200);
    expect(await icon()).toBe('https://cdn.example/i.png');
    const form = new FormData();
    form.set('file', new Blob(['<svg xmlns="http://www.w3.org/2000/svg"/>']), 'i.svg');
    expect((await admin.send('POST', `${path}${slug}/set_icon/`, form)).status).toBe(200);
    expect(await icon()).toMatch(/^\/media\/.+\.svg$/);
    const clear = new FormData();
    clear.set('clear', 'true');
    expect((await admin.send('POST', `${path}${slug}/set_icon/`, clear)).status).toBe(200);
    expect(await icon()).toBeNull();
    expect((await admin.post(`${path}${slug}/set_icon_url/`, { url: 'javascript:alert(1)' })).status).toBe(400);
    const viewer = await server().user(['svc_core.view_application']);
    expect((await viewer.api.post(`${path}${slug}/set_icon_url/`, { url: 'https://x.example/' })).status).toBe(403);
  });

  test('metrics count the events that the caller may see', async () => {
    const { admin, world } = server();
    const { slug, pk, name } = await makeApplication(server());
    const viewer = await server().user(['svc_core.view_application']);
    const total = async () => {
      const { body } = await admin.get(`${path}${slug}/metrics/`);
      expect(body).toHaveLength(21);
      return body.reduce((sum: number, { y_cord }: { y_cord: number }) => sum + y_cord, 0);
    };
    expect(await total()).toBe(0);
    await admin.post('/events/events/', {
      action: 'authorize_application',
      app: 'svc_providers_oauth2',
      context: {
        authorized_application: { app: 'svc_core', model_name: 'application', pk: pk.replaceAll('-', ''), name },
      },
      created: world.clock.now(),
    });
    expect(await total()).toBe(1);
    expect((await viewer.api.get(`${path}${slug}/metrics/`)).status).toBe(403);
  });
});
