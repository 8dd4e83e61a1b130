import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import { grantOn } from '../../support/grants.ts';
import { describeOnBoth, type TestServer } from '../../support/server.ts';
import { makeFlow, makeSource, unique } from './fixtures.ts';

const model = 'svc_sources_mediasrc';
const make = (server: TestServer, values = {}) =>
  makeSource(server, 'mediasrc', { plex_token: 'owner-token', ...values });
const missing = '00000000-0000-4000-8000-000000000000';

describeOnBoth('media sources', (server) => {
  test('a media source is created with defaults and shown completely', async () => {
    const slug = unique('fresh');
    const made = await server().admin.post('/sources/mediasrc/', { name: 'Fresh', slug, plex_token: 'the-token' });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      pk: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Fresh',
      slug,
      enabled: true,
      authentication_flow: null,
      enrollment_flow: null,
      user_property_mappings: [],
      group_property_mappings: [],
      component: 'xak-source-mediasrc-form',
      verbose_name: 'Mediasrc Source',
      verbose_name_plural: 'Mediasrc Sources',
      meta_model_name: 'svc_sources_mediasrc.mediasrcsource',
      policy_engine_mode: 'any',
      user_matching_mode: 'identifier',
      managed: null,
      user_path_template: 'gatehouse/sources/%(slug)s',
      icon: '/static/sources/mediasrc.svg',
      group_matching_mode: 'identifier',
      client_id: expect.stringMatching(/^[A-Za-z0-9]{40}$/),
      allowed_servers: [],
      allow_friends: true,
      plex_token: 'the-token',
    });
    expect((await server().admin.get(`/sources/mediasrc/${slug}/`)).body).toEqual(made.body);
    const icon = await fetch(`${server().url}${made.body.icon}`);
    expect(icon.status).toBe(200);
  });

  test('the token is not readable in the database', async () => {
    const { pk } = await make(server(), { plex_token: 'visible-only-to-administrators' });
    const { rows } = await sql<{ plex_token: string }>`select plex_token from source_mediasrc where pk = ${pk}`.execute(
      server().world.db.read,
    );
    expect(rows[0]?.plex_token).not.toContain('visible-only');
  });

  test('PUT keeps members that it does not name', async () => {
    const flow = await makeFlow(server(), 'authentication');
    const { admin } = server();
    const { body: mapping } = await admin.post('/propertymappings/source/mediasrc/', {
      name: unique('mapping'),
      expression: 'return {}',
    });
    const before = await make(server(), {
      enabled: false,
      authentication_flow: flow.pk,
      user_property_mappings: [mapping.pk],
      group_property_mappings: [mapping.pk],
      policy_engine_mode: 'all',
      user_matching_mode: 'email_link',
      group_matching_mode: 'name_deny',
      user_path_template: 'elsewhere/%(slug)s',
      client_id: 'the-client',
      allowed_servers: ['one', 'two'],
      allow_friends: false,
    });
    const events = await eventsDuring(server(), async () => {
      const put = await admin.put(`/sources/mediasrc/${before.slug}/`, {
        name: 'Renamed',
        slug: before.slug,
        plex_token: 'another-token',
      });
      expect(put.status).toBe(200);
      expect(put.body).toEqual({ ...before, name: 'Renamed', plex_token: 'another-token' });
    });
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      action: 'model_updated',
      context: {
        model: { app: model, model_name: 'mediasrcsource', name: 'Renamed', pk: before.pk.replaceAll('-', '') },
      },
    });
    expect(JSON.stringify(events)).not.toContain('another-token');
  });

  test('every member can be set, and flows taken away', async () => {
    const { admin } = server();
    const [signIn, enrol] = [await makeFlow(server(), 'authentication'), await makeFlow(server(), 'enrollment')];
    const before = await make(server(), { authentication_flow: signIn.pk, enrollment_flow: enrol.pk });
    const slug = unique('moved');
    const body = {
      name: 'All of it',
      slug,
      enabled: false,
      authentication_flow: null,
      enrollment_flow: '',
      user_property_mappings: [],
      group_property_mappings: [],
      policy_engine_mode: 'all',
      user_matching_mode: 'username_deny',
      user_path_template: 'a/b',
      group_matching_mode: 'name_link',
      client_id: 'c',
      allowed_servers: ['x'],
      allow_friends: false,
      plex_token: 't',
      pk: missing,
      managed: 'not-yours',
      icon: 'http://example.com/i.png',
      unheard_of: 1,
    };
    const put = await admin.put(`/sources/mediasrc/${before.slug}/`, body);
    expect(put.status).toBe(200);
    const { pk: _pk, managed: _managed, icon: _icon, unheard_of: _unheard, ...taken } = body;
    expect(put.body).toEqual({ ...before, ...taken, enrollment_flow: null });
    expect((await admin.get(`/sources/mediasrc/${before.slug}/`)).status).toBe(404);
    expect((await admin.get(`/sources/mediasrc/${slug}/`)).body.pk).toBe(before.pk);
  });

  test('all complaints come at once, elements of lists by their position', async () => {
    const { slug } = await make(server());
    const put = await server().admin.put(`/sources/mediasrc/${slug}/`, {
      name: ' ',
      slug: 'no spaces allowed in here, and far more than fifty characters',
      enabled: 'perhaps',
      authentication_flow: 'xyz',
      enrollment_flow: missing,
      user_property_mappings: [missing],
      group_property_mappings: 'none',
      policy_engine_mode: 'some',
      user_matching_mode: 'guess',
      user_path_template: '',
      group_matching_mode: null,
      client_id: '',
      allowed_servers: ['good', '', 'good', {}],
      allow_friends: null,
    });
    expect(put.status).toBe(400);
    expect(put.body).toEqual({
      name: ['This field may not be blank.'],
      slug: [
        'Ensure this field has no more than 50 characters.',
        'Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.',
      ],
      enabled: ['Must be a valid boolean.'],
      authentication_flow: ['“xyz” is not a valid UUID.'],
      enrollment_flow: [`Invalid pk "${missing}" - object does not exist.`],
      user_property_mappings: [`Invalid pk "${missing}" - object does not exist.`],
      group_property_mappings: ['Expected a list of items but got type "str".'],
      policy_engine_mode: [expect.stringContaining('"some" is not a valid choice.')],
      user_matching_mode: [expect.stringContaining('"guess" is not a valid choice.')],
      user_path_template: ['This field may not be blank.'],
      group_matching_mode: ['This field may not be null.'],
      client_id: ['This field may not be blank.'],
      allowed_servers: { 1: ['This field may not be blank.'], 3: ['Not a valid string.'] },
      allow_friends: ['This field may not be null.'],
      plex_token: ['This field is required.'],
    });
    const empty = await server().admin.put(`/sources/mediasrc/${slug}/`, {});
    const required = ['This field is required.'];
    expect(empty.body).toEqual({ name: required, slug: required, plex_token: required });
  });

  test('a deeply nested body is refused in every member', async () => {
    const { slug } = await make(server());
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    const put = (member: string, levels: number) =>
      server().admin.send('PUT', `/sources/mediasrc/${slug}/`, `{"${member}": ${deep(levels)}}`, {
        'content-type': 'application/json',
      });
    for (const member of ['policy_engine_mode', 'name', 'allowed_servers', 'unheard_of']) {
      const answer = await put(member, 200_000);
      expect([member, answer.status, answer.body.detail]).toEqual([
        member,
        400,
        'JSON parse error - nested too deeply',
      ]);
    }
    const shallow = await put('policy_engine_mode', 50);
    expect(shallow.body.policy_engine_mode).toEqual([expect.stringContaining(`"${deep(50)}" is not a valid choice.`)]);
  });

  test('a slug is unique over all kinds of source', async () => {
    const media = await make(server());
    const oauth = await makeSource(server(), 'oauth', {
      provider_type: 'github',
      consumer_key: 'k',
      consumer_secret: 's',
    });
    const taken = { slug: ['source with this slug already exists.'] };
    const body = { name: 'n', slug: oauth.slug, plex_token: 't' };
    const put = await server().admin.put(`/sources/mediasrc/${media.slug}/`, body);
    expect([put.status, put.body]).toEqual([400, taken]);
    const post = await server().admin.post('/sources/mediasrc/', body);
    expect([post.status, post.body]).toEqual([400, taken]);
    const same = await server().admin.put(`/sources/mediasrc/${media.slug}/`, { ...body, slug: media.slug });
    expect(same.status).toBe(200);
  });

  test('a source that is missing, of another kind or spelled differently is not found', async () => {
    const media = await make(server());
    const oauth = await makeSource(server(), 'oauth', {
      provider_type: 'github',
      consumer_key: 'k',
      consumer_secret: 's',
    });
    const body = { name: 'n', slug: unique('n'), plex_token: 't' };
    for (const slug of ['nowhere', oauth.slug, media.slug.toUpperCase(), media.pk, '%00']) {
      const put = await server().admin.put(`/sources/mediasrc/${slug}/`, body);
      expect([slug, put.status, put.body.detail]).toEqual([slug, 404, 'Not found.']);
    }
  });

  test('is for superusers, whatever permissions others hold on all sources or on this one', async () => {
    const media = await make(server());
    const path = `/sources/mediasrc/${media.slug}/`;
    const body = { name: 'n', slug: media.slug, plex_token: 't' };
    const view = `${model}.view_mediasrcsource`;
    const change = `${model}.change_mediasrcsource`;
    const put = async (permissions: string[]) => (await (await server().user(permissions)).api.put(path, body)).status;
    expect((await server().nobody.put(path, body)).status).toBe(403);
    expect(await put([])).toBe(403);
    expect(await put([view])).toBe(403);
    expect(await put([change])).toBe(403);
    expect(await put([view, change])).toBe(403);

    const delegate = await server().user();
    await grantOn(server(), delegate.pk, view, media.pk);
    expect((await delegate.api.put(path, body)).status).toBe(403);
    await grantOn(server(), delegate.pk, change, media.pk);
    expect((await delegate.api.put(path, body)).status).toBe(403);
    expect((await server().admin.put(path, body)).status).toBe(200);
    const other = await make(server());
    expect((await delegate.api.put(`/sources/mediasrc/${other.slug}/`, body)).status).toBe(404);
  });

  test('the list is narrowed by every filter, and invalid values are refused', async () => {
    const { admin } = server();
    const flow = await makeFlow(server(), 'authentication');
    const media = await make(server(), {
      enabled: false,
      authentication_flow: flow.pk,
      enrollment_flow: flow.pk,
      policy_engine_mode: 'all',
      user_matching_mode: 'username_link',
      group_matching_mode: 'name_link',
      client_id: unique('client'),
      allow_friends: false,
    });
    const slugs = async (query: string) =>
      (await admin.get(`/sources/mediasrc/?${query}&page_size=1000`)).body.results.map(
        ({ slug }: { slug: string }) => slug,
      );
    for (const query of [
      `name=${encodeURIComponent(media.name)}`,
      `slug=${media.slug}`,
      'enabled=false',
      `authentication_flow=${flow.pk}`,
      `enrollment_flow=${flow.pk}`,
      'policy_engine_mode=all',
      'user_matching_mode=username_link',
      'group_matching_mode=name_link',
      `client_id=${media.client_id}`,
      'allow_friends=false',
      `search=${media.slug.slice(0, 12).toUpperCase()}`,
    ]) {
      expect([query, await slugs(query)]).toEqual([query, expect.arrayContaining([media.slug])]);
    }
    for (const query of ['enabled=true', 'allow_friends=true', 'user_matching_mode=identifier', 'client_id=x']) {
      expect([query, await slugs(query)]).toEqual([query, expect.not.arrayContaining([media.slug])]);
    }
    const bad = await admin.get(`/sources/mediasrc/?authentication_flow=${missing}&user_matching_mode=guess`);
    expect([bad.status, bad.body]).toEqual([
      400,
      {
        authentication_flow: ['Select a valid choice. That choice is not one of the available choices.'],
        user_matching_mode: [
          expect.stringMatching(
            /^Select a valid choice\. guess is not one of the available choices\. Valid choices: \w+/,
          ),
        ],
      },
    ]);
  });

  test('deleting a flow takes it from its sources; deleting a source takes its bindings along', async () => {
    const { admin, world } = server();
    const flow = await makeFlow(server(), 'authentication');
    const media = await make(server(), { authentication_flow: flow.pk });
    await admin.delete(`/flows/instances/${flow.slug}/`);
    expect((await admin.get(`/sources/mediasrc/${media.slug}/`)).body.authentication_flow).toBeNull();

    const { body: policy } = await admin.post('/policies/expression/', {
      name: unique('p'),
      expression: 'return true',
    });
    const bound = await admin.post('/policies/bindings/', { target: media.pk, policy: policy.pk, order: 0 });
    expect(bound.status).toBe(201);
    const used = await admin.get(`/policies/expression/${policy.pk}/`);
    expect(used.body.bound_to).toBe(1);
    const events = await eventsDuring(server(), async () => {
      expect((await admin.delete(`/sources/mediasrc/${media.slug}/`)).status).toBe(204);
    });
    expect(events.map(({ action }) => action)).toEqual(['model_deleted']);
    expect((await admin.get(`/policies/bindings/${bound.body.pk}/`)).status).toBe(404);
    const left = await sql`select 1 from policy_targets where pk = ${media.pk}`.execute(world.db.read);
    expect(left.rows).toEqual([]);
  });
});
