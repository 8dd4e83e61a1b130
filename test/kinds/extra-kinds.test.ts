import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openBrowser } from '../support/flow-client.ts';
import { runJob } from '../support/jobs.ts';
import { makeWalk, unique } from '../support/make-walk.ts';
import { describeOnBoth } from '../support/server.ts';
import { extraMigration, extraToken, sent, sourceModel, withExtraKinds } from './extra-kinds.ts';

/** The list of each extra kind, the model, and what an object needs. */
const lists = [
  ['/policies/extra/', 'svc_policies_extra.extrapolicy', '/policies/all/', { lets_in: true }],
  ['/propertymappings/extra/', 'svc_extra.extramapping', '/propertymappings/all/', { expression: 'return {};' }],
  [
    '/outposts/service_connections/extra/',
    'svc_outposts.extraserviceconnection',
    '/outposts/service_connections/all/',
    { place: 'here' },
  ],
  ['/sources/extra/', sourceModel, '/sources/all/', { greeting: 'Hello' }],
  [
    '/propertymappings/source/extra/',
    'svc_sources_extra.extrasourcepropertymapping',
    '/propertymappings/all/',
    { expression: 'return {};' },
  ],
  ['/providers/extra/', 'svc_providers_extra.extraprovider', '/providers/all/', { audience: 'everybody' }],
  ['/stages/extra/', 'svc_stages_extra.extrastage', '/stages/all/', { word: 'sesame' }],
] as const;

describeOnBoth(
  'kinds that are only listed in the catalogue',
  (server) => {
    async function make(path: string, values: Record<string, unknown>) {
      const name = unique('extra');
      const answer = await server().admin.post(path, {
        name,
        ...(path === '/sources/extra/' && { slug: name }),
        ...values,
      });
      expect({ path, status: answer.status, body: answer.body }).toMatchObject({ status: 201 });
      return answer.body;
    }

    test.each(lists)('%s is served, recorded, permitted and described', async (path, model, family, values) => {
      const { admin, user } = server();
      const object = await make(path, values);
      expect(object).toMatchObject({
        ...values,
        meta_model_name: model,
        component: expect.stringMatching(/^xak-extra-/),
      });
      const key = object.slug ?? object.pk;
      expect((await admin.get(`${path}${key}/`)).body).toMatchObject(values);
      const { body: all } = await admin.get(`${family}?search=${object.name}`);
      expect(all.results).toMatchObject([{ name: object.name, meta_model_name: model }]);

      const [app, modelName] = model.split('.');
      const { body: events } = await admin.get(`/events/events/?action=model_created&page_size=100&ordering=-created`);
      const about = events.results.map((event: { app: string; context: { model: unknown } }) => [
        event.app,
        event.context.model,
      ]);
      expect(about).toContainEqual([app, expect.objectContaining({ app, model_name: modelName, name: object.name })]);

      const reader = await user([`${app}.view_${modelName}`]);
      const stranger = await user();
      expect((await reader.api.get(`${path}${key}/`)).status).toBe(200);
      expect((await stranger.api.get(`${path}${key}/`)).status).toBe(403);
      expect((await reader.api.delete(`${path}${key}/`)).status).toBe(403);

      const { body: document } = await admin.get('/schema/');
      expect(Object.keys(document.paths[path])).toEqual(expect.arrayContaining(['get', 'post']));
      expect(document['x-resources'][path]).toMatchObject({ model, family, title: 'name' });
      const { $ref } = document.paths[path].post.requestBody.content['application/json'].schema;
      const { properties } = document.components.schemas[$ref.split('/').at(-1)];
      for (const member of ['name', ...Object.keys(values)]) {
        expect([member, properties[member]['x-field']]).toEqual([
          member,
          expect.objectContaining({ kind: expect.any(String), label: expect.any(String) }),
        ]);
      }
      expect((await admin.delete(`${path}${key}/`)).status).toBe(204);
    });

    test('serve their own routes', async () => {
      const { url, kind } = server();
      expect(await (await fetch(`${url}/source/extra/somewhere/`)).text()).toBe('The source somewhere');
      const dialect = kind === 'postgres' ? 'postgres' : 'sqlite';
      const answer = await fetch(`${url}/application/extra/app/`, { method: 'POST' });
      expect(await answer.text()).toMatch(new RegExp(`^POST app on ${dialect}`));
    });

    test('let in by their own credentials, and see events as they are recorded', async () => {
      const { as, world } = server();
      const { body } = await as(extraToken).get('/core/users/me/');
      expect(body.user.username).toBe('admin');
      expect((await as(`${extraToken}x`).get('/core/users/me/')).status).toBe(403);
      await make('/providers/extra/', { audience: 'watched' });
      const { rows } = await sql`select action from extra_outbox`.execute(world.db.read);
      expect(rows).toContainEqual({ action: 'model_created' });
    });

    test('decide as policies, send as transports and report the state of connections', async () => {
      const { admin } = server();
      const { pk: user } = await server().user();
      const policy = await make('/policies/extra/', { lets_in: false });
      const tried = await admin.post(`/policies/all/${policy.pk}/test/`, { user });
      expect(tried.body).toMatchObject({ passing: false, messages: ['The extra policy says no.'] });
      const transport = await make('/events/transports/', { mode: 'extra' });
      expect(transport.mode_verbose).toBe('Extra transport');
      const before = sent.length;
      expect((await admin.post(`/events/transports/${transport.pk}/test/`, {})).status).toBe(200);
      expect(sent.length).toBe(before + 1);
      const connection = await make('/outposts/service_connections/extra/', { place: 'there' });
      const state = await admin.get(`/outposts/service_connections/all/${connection.pk}/state/`);
      expect(state.body).toEqual({ healthy: true, version: 'extra 1.0' });
    });

    test('take part in flows: a stage asks, a source is offered, and the page may reach what they need', async () => {
      const { url } = server();
      const source = await make('/sources/extra/', { greeting: 'Welcome' });
      const walk = await makeWalk(server(), [
        ['extra', { word: 'sesame' }],
        ['identification', { user_fields: ['username'], sources: [source.pk] }],
      ]);
      const browser = openBrowser(server());
      expect((await browser.show(walk.slug)).body).toMatchObject({
        component: 'xak-stage-extra',
        hint: 'It begins with s.',
      });
      const wrong = await browser.answer(walk.slug, { word: 'barley' });
      expect(wrong.body).toMatchObject({ component: 'xak-stage-extra', response_errors: { word: [{}] } });
      const offered = await browser.answer(walk.slug, { word: 'sesame' });
      expect(offered.body.sources).toMatchObject([
        { name: source.name, challenge: { component: 'xak-source-extra', greeting: 'Welcome' } },
      ]);
      const page = await fetch(`${url}/if/flow/${walk.slug}/`);
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(page.status).toBe(200);
      expect(policy).toMatch(/connect-src [^;]*https:\/\/words\.example\.com[^;]*https:\/\/extra\.example\.com/);
      expect(await page.text()).toContain('data-extra-sources="1"');
      const plain = await makeWalk(server(), [['dummy']]);
      const other = await fetch(`${url}/if/flow/${plain.slug}/`);
      expect(other.headers.get('content-security-policy') ?? '').not.toContain('extra.example.com');
    });

    test('a source of an extra kind can be asked within a flow, with a screen of its own', async () => {
      const { admin } = server();
      const source = await make('/sources/extra/', { greeting: 'Who are you?' });
      const person = await server().user();
      const link = { user: person.pk, source: source.pk, identifier: person.username };
      expect((await admin.post('/sources/user_connections/extra/', link)).status).toBe(201);
      const walk = await makeWalk(server(), [['source', { source: source.pk }], ['user_login']]);
      const browser = openBrowser(server());
      const asked = { component: 'xak-source-extra', greeting: 'Who are you?' };
      expect((await browser.show(walk.slug)).body).toMatchObject(asked);
      expect((await browser.answer(walk.slug, { plex_token: 'x' })).body).toMatchObject(asked);
      const unknown = await browser.answer(walk.slug, { account: 'nobody' });
      expect(unknown.body).toMatchObject({ ...asked, response_errors: { non_field_errors: [{}] } });
      expect((await browser.answer(walk.slug, { account: person.username })).body.component).toBe('xak-flow-redirect');
      expect((await browser.get('/core/users/me/')).body.user.pk).toBe(person.pk);
    });

    test('a class of devices can be required, and proves its owner', async () => {
      const { world } = server();
      const person = await server().user();
      await world.db.write(async (tx) => {
        const { rows } = await sql<{ pk: number }>`insert into devices
          (kind, "user", name, confirmed, created, last_updated, last_used) values ('svc_extra.extradevice', ${person.pk},
          'Extra', true, ${world.clock.now()}, ${world.clock.now()}, null) returning pk`.execute(tx);
        await sql`insert into device_extra (pk) values (${rows[0]?.pk})`.execute(tx);
      });
      const walk = await makeWalk(server(), [
        ['identification', { user_fields: ['username'] }],
        ['authenticator/validate', { device_classes: ['extra'], not_configured_action: 'deny' }],
      ]);
      const browser = openBrowser(server());
      await browser.show(walk.slug);
      const asked = await browser.answer(walk.slug, { uid_field: person.username });
      expect(asked.body.device_challenges).toMatchObject([{ device_class: 'extra' }]);
      const wrong = await browser.answer(walk.slug, { code: 'plain' });
      expect(wrong.body.response_errors.code[0].string).toBe('That is not extra.');
      expect((await browser.answer(walk.slug, { code: 'extra' })).body.component).toBe('xak-flow-redirect');
      expect((await person.api.get('/authenticators/extra/')).body.results).toMatchObject([{ name: 'Extra' }]);
    });

    test('bring jobs, which administrators see', async () => {
      expect(await runJob(server(), 'extra_sync')).toMatchObject({ state: 'done', message: 'Synced the extra way.' });
      const { body } = await server().admin.get('/events/system_tasks/?search=extra_sync');
      expect(body.results).toMatchObject([{ name: 'extra_sync', description: 'Sync the extra way.' }]);
    });

    test('have their expired rows deleted', async () => {
      const { db } = server().world;
      await make('/providers/extra/', { audience: 'forgotten' });
      await runJob(server(), 'clean_expired_models');
      expect((await sql`select 1 from extra_outbox`.execute(db.read)).rows).toEqual([]);
    });
  },
  { extra: { kinds: withExtraKinds, migration: extraMigration } },
);
