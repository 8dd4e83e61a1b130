import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { tokenExpiresAttribute, tokenLifetimeAttribute } from '../../../src/core/token/token-rules.ts';
import { addMilliseconds, toTimestamp } from '../../../src/platform/clock.ts';
import { eventsDuring } from '../../support/events.ts';

import { describeOnBoth } from '../../support/server.ts';

const hour = 3_600_000;
const day = 24 * hour;
const clock = { at: Date.parse('2031-05-06T07:08:09Z'), now: () => toTimestamp(clock.at) };

describeOnBoth(
  'tokens',
  (server) => {
    const inMs = (milliseconds: number) => addMilliseconds(clock.now(), milliseconds);
    const keyOf = async (identifier: string, api = server().admin) =>
      (await api.get(`/core/tokens/${identifier}/view_key/`)).body.key as string;

    test('a token is made with an identifier, belongs to its maker and shows no key', async () => {
      const { user } = server();
      const person = await user();
      const made = await person.api.post('/core/tokens/', { identifier: 'plain' });
      expect(made.status).toBe(201);
      expect(made.body).toEqual({
        pk: expect.any(String),
        managed: null,
        identifier: 'plain',
        intent: 'api',
        user: person.pk,
        user_obj: expect.objectContaining({ pk: person.pk, username: person.username, groups_obj: [] }),
        description: '',
        expires: inMs(day),
        expiring: true,
        application: null,
      });
      expect((await person.api.get('/core/tokens/plain/')).body).toEqual(made.body);
    });

    test('only app passwords are limited to an application', async () => {
      const person = await server().user();
      const { pk: application } = (await server().admin.post('/core/applications/', { name: 'Mail', slug: 'mail' }))
        .body;
      const made = await person.api.post('/core/tokens/', { identifier: 'limited', application });
      expect([made.status, made.body]).toMatchObject([
        400,
        { application: ['Only app passwords are limited to an application.'] },
      ]);
      const mail = { identifier: 'mail-only', intent: 'app_password', application };
      expect((await person.api.post('/core/tokens/', mail)).body).toMatchObject(mail);
      const found = (await person.api.get(`/core/tokens/?application=${application}`)).body.results;
      expect(found.map((token: { identifier: string }) => token.identifier)).toEqual(['mail-only']);
      const asApi = await person.api.patch('/core/tokens/mail-only/', { intent: 'api' });
      expect(asApi.status).toBe(400);
    });

    test('view_key shows the key of a token, which works as a bearer token, and records an event', async () => {
      const { user, as } = server();
      const person = await user();
      await person.api.post('/core/tokens/', { identifier: 'shown' });
      const events = await eventsDuring(server(), async () => {
        const shown = await person.api.get('/core/tokens/shown/view_key/');
        expect([shown.status, shown.body]).toEqual([200, { key: expect.stringMatching(/^[A-Za-z0-9]{60}$/) }]);
      });
      expect(events).toMatchObject([
        {
          action: 'secret_view',
          username: person.username,
          context: { secret: { app: 'svc_core', model_name: 'token', name: 'shown' } },
        },
      ]);
      const key = await keyOf('shown', person.api);
      expect(events[0]?.text).not.toContain(key);
      expect((await as(key).get('/core/users/me/')).body.user.pk).toBe(person.pk);
    });

    test('the key is stored sealed and as a hash, never in clear', async () => {
      const { admin, world } = server();
      await admin.post('/core/tokens/', { identifier: 'sealed' });
      const key = await keyOf('sealed');
      const { rows } = await sql<Record<string, unknown>>`select * from tokens where identifier = 'sealed'`.execute(
        world.db.read,
      );
      expect(JSON.stringify(rows)).not.toContain(key);
      expect(rows[0]?.key_hash).toBe(world.key.hash(key));
    });

    test('tokens of other users are not found', async () => {
      const { user, admin } = server();
      const owner = await user();
      const stranger = await user(['svc_core.view_token', 'svc_core.change_token', 'svc_core.delete_token']);
      await owner.api.post('/core/tokens/', { identifier: 'private' });
      const list = (await stranger.api.get('/core/tokens/')).body.results;
      expect(list.map(({ user: pk }: { user: number }) => pk)).toEqual([stranger.pk]);
      for (const [method, path] of [
        ['GET', ''],
        ['PATCH', ''],
        ['PUT', ''],
        ['DELETE', ''],
        ['GET', 'view_key/'],
        ['GET', 'used_by/'],
      ] as const) {
        const answer = await stranger.api.send(
          method,
          `/core/tokens/private/${path}`,
          method === 'GET' ? undefined : {},
        );
        expect([method, path, answer.status]).toEqual([method, path, 404]);
      }
      expect((await admin.get('/core/tokens/private/')).status).toBe(200);
      expect((await server().nobody.get('/core/tokens/')).status).toBe(403);
    });

    test('callers with the permission see the keys of others, but not of superusers', async () => {
      const { user, admin } = server();
      const owner = await user();
      await owner.api.post('/core/tokens/', { identifier: 'of-a-user' });
      await admin.post('/core/tokens/', { identifier: 'of-a-superuser' });
      const keeper = await user(['svc_core.view_token_key']);
      expect((await keeper.api.get('/core/tokens/of-a-user/view_key/')).status).toBe(200);
      const refused = await keeper.api.get('/core/tokens/of-a-superuser/view_key/');
      expect([refused.status, refused.body.key]).toEqual([403, undefined]);
      const one = await user();
      const { body: token } = await owner.api.get('/core/tokens/of-a-user/');
      await admin.post(`/rbac/permissions/assigned_by_users/${one.pk}/assign/`, {
        permissions: ['view_token_key'],
        model: 'svc_core.token',
        object_pk: token.pk,
      });
      expect((await one.api.get('/core/tokens/of-a-user/view_key/')).status).toBe(200);
      expect((await one.api.get('/core/tokens/of-a-superuser/view_key/')).status).toBe(404);
      expect((await admin.get('/core/tokens/none/view_key/')).status).toBe(404);
      expect((await admin.get('/core/tokens/a%00b/view_key/')).status).toBe(404);
    });

    test('a superuser makes tokens for others, no other user does', async () => {
      const { user, admin } = server();
      const owner = await user();
      const given = await admin.post('/core/tokens/', { identifier: 'given', user: owner.pk });
      expect(given.body.user).toBe(owner.pk);
      const other = await user(['svc_core.add_token', 'svc_core.change_token']);
      const taken = await other.api.post('/core/tokens/', { identifier: 'taken', user: owner.pk });
      expect([taken.status, taken.body.user]).toEqual([201, other.pk]);
    });

    test.each(['recovery', 'verification'])('%s is refused as the intent of a token', async (intent) => {
      const { admin } = server();
      const refusal = { intent: [`Invalid intent ${intent}`] };
      expect((await admin.post('/core/tokens/', { identifier: `own-${intent}`, intent })).body).toEqual(refusal);
      await admin.post('/core/tokens/', { identifier: `to-be-${intent}` });
      expect((await admin.patch(`/core/tokens/to-be-${intent}/`, { intent })).body).toEqual(refusal);
    });

    test('all errors are reported at once', async () => {
      const { admin } = server();
      await admin.post('/core/tokens/', { identifier: 'there-already' });
      const wrong = await admin.post('/core/tokens/', {
        identifier: 'not a slug',
        intent: 'spy',
        user: 99999999,
        expires: 'soon',
        expiring: 'x',
      });
      expect([wrong.status, wrong.body]).toEqual([
        400,
        {
          identifier: ['Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.'],
          intent: [expect.stringContaining('"spy" is not a valid choice.')],
          user: ['Invalid pk "99999999" - object does not exist.'],
          expires: [expect.stringMatching(/^Datetime has wrong format/)],
          expiring: ['Must be a valid boolean.'],
        },
      ]);
      expect((await admin.post('/core/tokens/', { identifier: 'there-already' })).body).toEqual({
        identifier: ['Token with this identifier already exists.'],
      });
      expect((await admin.post('/core/tokens/', {})).body).toEqual({ identifier: ['This field is required.'] });
    });

    test('an API token lasts as long as the settings say', async () => {
      const { admin } = server();
      const made = await admin.post('/core/tokens/', { identifier: 'long', expires: '2999-01-01T00:00:00Z' });
      expect(made.body.expires).toBe(inMs(day));
      await admin.patch('/admin/settings/', { default_token_duration: 'hours=2', default_token_length: 80 });
      const short = await admin.post('/core/tokens/', { identifier: 'short' });
      expect(short.body.expires).toBe(inMs(2 * hour));
      expect(await keyOf('short')).toHaveLength(80);
      await admin.patch('/admin/settings/', { default_token_duration: 'days=1', default_token_length: 60 });
      const renewed = await admin.patch('/core/tokens/short/', { expires: '2999-01-01T00:00:00Z' });
      expect(renewed.body.expires).toBe(inMs(day));
      expect((await admin.patch('/core/tokens/long/', { description: 'x' })).body.expires).toBe(made.body.expires);
    });

    test('an app password lasts as asked, up to the limit of its owner', async () => {
      const { admin, user } = server();
      const { body: group } = await admin.post('/core/groups/', {
        name: 'long-lived tokens',
        attributes: { [tokenLifetimeAttribute]: 'days=30' },
      });
      const plain = await user();
      const trusted = await user([], { groups: [group.pk] });
      const make = (api: typeof plain.api, identifier: string, milliseconds: number) =>
        api.post('/core/tokens/', { identifier, intent: 'app_password', expires: inMs(milliseconds) });
      expect((await make(plain.api, 'within-a-day', hour)).body.expires).toBe(inMs(hour));
      const beyond = await make(plain.api, 'beyond-a-day', 2 * day);
      expect([beyond.status, beyond.body]).toEqual([
        400,
        { expires: [expect.stringMatching(/^Token expires exceeds maximum lifetime/)] },
      ]);
      expect((await make(trusted.api, 'within-a-month', 29 * day)).status).toBe(201);
      expect((await make(trusted.api, 'beyond-a-month', 31 * day)).status).toBe(400);
      const later = await trusted.api.patch('/core/tokens/within-a-month/', { expires: inMs(31 * day) });
      expect(later.status).toBe(400);
    });

    test('only superusers and users with the attribute have tokens without expiry', async () => {
      const { admin, user } = server();
      const endless = await admin.post('/core/tokens/', { identifier: 'endless', expiring: false });
      expect(endless.body).toMatchObject({ expiring: false, expires: null });
      const plain = await user();
      const asked = await plain.api.post('/core/tokens/', { identifier: 'asks-for-endless', expiring: false });
      expect(asked.body).toMatchObject({ expiring: true, expires: inMs(day) });
      const patched = await plain.api.patch('/core/tokens/asks-for-endless/', { expiring: false });
      expect(patched.body).toMatchObject({ expiring: true, expires: inMs(day) });
      const program = await user([], { attributes: { [tokenExpiresAttribute]: false } });
      const made = await program.api.post('/core/tokens/', { identifier: 'of-a-program' });
      expect(made.body).toMatchObject({ expiring: false, expires: null });
    });

    test('an expired token is refused, but not deleted', async () => {
      const { user, as, admin } = server();
      const person = await user();
      await person.api.post('/core/tokens/', { identifier: 'expiring' });
      const key = await keyOf('expiring', person.api);
      expect((await as(key).get('/core/users/me/')).status).toBe(200);
      clock.at += day;
      const late = await as(key).get('/core/users/me/');
      expect([late.status, late.body.detail]).toEqual([403, 'Token invalid/expired']);
      expect((await admin.get('/core/tokens/expiring/')).status).toBe(200);
      clock.at -= day;
    });

    test('only API tokens authenticate as bearer tokens', async () => {
      const { admin, as } = server();
      await admin.post('/core/tokens/', { identifier: 'for-an-app', intent: 'app_password' });
      const answer = await as(await keyOf('for-an-app')).get('/core/users/me/');
      expect([answer.status, answer.body.detail]).toEqual([403, 'Token invalid/expired']);
    });

    test('a header counts as a whole: the scheme in any case, a space and a key, with nothing after it', async () => {
      const { user, nobody } = server();
      const { token } = await user();
      const ask = async (authorization: string) => {
        const { status, body } = await nobody.get('/core/tokens/', { authorization });
        return status === 200 ? status : [status, body.detail];
      };
      for (const right of [`Bearer ${token}`, `bearer ${token}`, `Bearer  ${token} `])
        expect(await ask(right)).toBe(200);
      const unknown = [403, 'Token invalid/expired'];
      for (const more of ['x', token, ',', `, Basic ${token}`]) {
        expect([more, await ask(`Bearer ${token} ${more}`)]).toEqual([more, unknown]);
      }
      expect(await ask(`Basic ${token}`)).toEqual([403, 'Unsupported authentication type']);
      for (const none of ['Bearer', 'Bearer ', token]) {
        expect([none, await ask(none)]).toEqual([none, [403, 'Authentication credentials were not provided.']]);
      }
    });

    const keyOfMyOwn = 'a-key-of-my-own-that-is-long-enough';

    test('set_key is for superusers and is recorded without the key', async () => {
      const { user, admin, as } = server();
      const person = await user(['svc_core.change_token']);
      await person.api.post('/core/tokens/', { identifier: 'rekeyed' });
      const old = await keyOf('rekeyed', person.api);
      const mine = await person.api.post('/core/tokens/rekeyed/set_key/', { key: 'chosen' });
      expect(mine.status).toBe(403);
      const events = await eventsDuring(server(), async () => {
        const set = await admin.post('/core/tokens/rekeyed/set_key/', { key: keyOfMyOwn });
        expect([set.status, set.text]).toEqual([204, '']);
      });
      expect(events.map(({ action }) => action)).toEqual(['model_updated']);
      expect(events[0]?.text).not.toContain(keyOfMyOwn);
      expect((await as(keyOfMyOwn).get('/core/users/me/')).body.user.pk).toBe(person.pk);
      expect((await as(old).get('/core/users/me/')).status).toBe(403);
      for (const [body, complaint] of [
        [{}, 'This field is required.'],
        [{ key: '' }, 'This field may not be blank.'],
        [{ key: 'short' }, 'Ensure this field has at least 32 characters.'],
        [{ key: 5 }, 'Not a valid string.'],
        [{ key: null }, 'This field may not be null.'],
      ] as const) {
        expect((await admin.post('/core/tokens/rekeyed/set_key/', body)).body).toEqual({ key: [complaint] });
      }
      await admin.post('/core/tokens/', { identifier: 'same-key' });
      expect((await admin.post('/core/tokens/same-key/set_key/', { key: keyOfMyOwn })).body).toEqual({
        key: ['Token with this key already exists.'],
      });
      expect((await admin.post('/core/tokens/rekeyed/set_key/', { key: keyOfMyOwn })).status).toBe(204);
    });

    test('tokens are filtered, searched and ordered', async () => {
      const { admin, user } = server();
      const person = await user();
      await admin.post('/core/tokens/', {
        identifier: 'findable',
        user: person.pk,
        description: 'for finding',
        intent: 'app_password',
      });
      const find = async (query: string) =>
        (await admin.get(`/core/tokens/?${query}`)).body.results.map(
          ({ identifier }: { identifier: string }) => identifier,
        );
      expect(await find('identifier=findable')).toEqual(['findable']);
      expect(await find('description=for+finding')).toEqual(['findable']);
      expect(await find(`user__username=${person.username}&intent=app_password`)).toEqual(['findable']);
      expect(await find(`user__username=${person.username}&expiring=false`)).toEqual([`token-${person.username}`]);
      expect(await find(`expires=${encodeURIComponent(inMs(day))}&identifier=findable`)).toEqual(['findable']);
      expect(await find('managed=gatehouse%2Ftokens%2Fbootstrap')).toEqual(['gatehouse-bootstrap-token']);
      expect(await find(`search=finding+${person.username}`)).toEqual(['findable']);
      expect((await admin.get('/core/tokens/?intent=x')).body).toEqual({
        intent: [
          expect.stringMatching(/^Select a valid choice\. x is not one of the available choices\. Valid choices: \w+/),
        ],
      });
    });

    test('writes leave one event each, and an owner deletes what is theirs', async () => {
      const { user } = server();
      const person = await user();
      const events = await eventsDuring(server(), async () => {
        await person.api.post('/core/tokens/', { identifier: 'come-and-gone' });
        await person.api.put('/core/tokens/come-and-gone/', { identifier: 'come-and-gone', description: 'x' });
        expect((await person.api.get('/core/tokens/come-and-gone/used_by/')).body).toEqual([]);
        expect((await person.api.delete('/core/tokens/come-and-gone/')).status).toBe(204);
      });
      // The clock stands still, so their order says nothing.
      const actions = events.map(({ action }) => action).toSorted();
      expect(actions).toEqual(['model_created', 'model_deleted', 'model_updated']);
      expect(events.map(({ text }) => text).join()).not.toMatch(/key_hash|"key"/);
    });
  },
  { clock },
);
