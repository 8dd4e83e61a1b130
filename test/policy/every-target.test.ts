import { expect, test } from 'vitest';
import { eventsDuring } from '../support/events.ts';

import { type Browser, openBrowser } from '../support/flow-client.ts';
import { quiet } from '../support/jobs.ts';
import { made, makeWalk, unique } from '../support/make-walk.ts';
import { describeOnSqlite, type TestServer, type TestUser } from '../support/server.ts';
import { signIn } from '../support/session.ts';

/** Something that bindings decide about, and how a person finds out what they decide. */
interface Ground {
  readonly target: string;
  setMode(mode: 'all' | 'any'): Promise<unknown>;
  passes(user: TestUser): Promise<boolean>;
}

async function browserOf(server: TestServer, { pk }: TestUser): Promise<Browser> {
  const session = await signIn(server, pk);
  const browser = openBrowser(server);
  browser.cookies.set('gatehouse_session', session.cookie.split('=')[1] as string);
  browser.cookies.set('gatehouse_csrf', session.csrf);
  return browser;
}

const grounds: Record<string, (server: TestServer) => Promise<Ground>> = {
  async flow(server) {
    const walk = await makeWalk(server, [['dummy']]);
    return {
      target: walk.pk,
      setMode: (policy_engine_mode) => server.admin.patch(`/flows/instances/${walk.slug}/`, { policy_engine_mode }),
      async passes(user) {
        const browser = await browserOf(server, user);
        return (await browser.show(walk.slug)).body.component === 'xak-stage-dummy';
      },
    };
  },
  async 'stage binding'(server) {
    const walk = await makeWalk(server, [['dummy'], ['deny', { deny_message: 'skipped' }]]);
    const [binding] = walk.bindings;
    return {
      target: binding?.pk as string,
      setMode: (policy_engine_mode) => server.admin.patch(`/flows/bindings/${binding?.pk}/`, { policy_engine_mode }),
      async passes(user) {
        const browser = await browserOf(server, user);
        return (await browser.show(walk.slug)).body.component === 'xak-stage-dummy';
      },
    };
  },
  async application(server) {
    const slug = unique('app');
    const application = await made(server, '/core/applications/', { name: slug, slug });
    return {
      target: application.pk,
      setMode: (policy_engine_mode) => server.admin.patch(`/core/applications/${slug}/`, { policy_engine_mode }),
      async passes({ pk }) {
        return (await server.admin.get(`/core/applications/${slug}/check_access/?for_user=${pk}`)).body.passing;
      },
    };
  },
  async source(server) {
    const slug = unique('source');
    const source = await made(server, '/sources/mediasrc/', { name: slug, slug, plex_token: 't' });
    return {
      target: source.pk,
      setMode: (policy_engine_mode) => server.admin.patch(`/sources/mediasrc/${slug}/`, { policy_engine_mode }),
      async passes({ api }) {
        const { body } = await api.get('/sources/all/user_settings/');
        return body.some(({ object_uid }: { object_uid: string }) => object_uid === slug);
      },
    };
  },
};

describeOnSqlite('bindings decide about every kind of target', (server) => {
  const expression = (body: string, values = {}) =>
    made(server(), '/policies/expression/', { name: unique('policy'), expression: body, ...values });
  const bind = (target: string, values: Record<string, unknown>, order = 0) =>
    made(server(), '/policies/bindings/', { target, order, ...values });

  test.each(Object.keys(grounds))('%s: policies, users and groups count, also negated, in both modes', async (name) => {
    const { target, setMode, passes } = await (grounds[name] as (typeof grounds)[string])(server());
    const group = await made(server(), '/core/groups/', { name: unique('group') });
    const member = await server().user([], { groups: [group.pk] });
    const stranger = await server().user();
    expect(await passes(stranger)).toBe(true);

    const byGroup = await bind(target, { group: group.pk });
    expect([await passes(member), await passes(stranger)]).toEqual([true, false]);
    const path = `/policies/bindings/${byGroup.pk}/`;
    await server().admin.patch(path, { negate: true });
    expect([await passes(member), await passes(stranger)]).toEqual([false, true]);
    await server().admin.patch(path, { negate: false });

    await bind(target, { user: stranger.pk }, 1);
    await setMode('any');
    expect([await passes(member), await passes(stranger)]).toEqual([true, true]);
    await setMode('all');
    expect([await passes(member), await passes(stranger)]).toEqual([false, false]);
    await setMode('any');
    await bind(target, { policy: (await expression('return false')).pk }, 2);
    expect(await passes(stranger)).toBe(true);
    await setMode('all');
    expect(await passes(stranger)).toBe(false);
  });

  test.each(Object.keys(grounds))('%s: a policy that fails or times out counts as its binding says', async (name) => {
    const { target, passes } = await (grounds[name] as (typeof grounds)[string])(server());
    const user = await server().user();
    const broken = await bind(target, { policy: (await expression('return nothing.at.all')).pk, negate: true });
    const path = `/policies/bindings/${broken.pk}/`;
    expect(await passes(user)).toBe(false);
    await server().admin.patch(path, { failure_result: true });
    expect(await passes(user)).toBe(true);
    const slow = await made(server(), '/policies/dummy/', {
      name: unique('slow'),
      result: true,
      wait_min: 5,
      wait_max: 5,
    });
    await server().admin.patch(path, { policy: slow.pk, failure_result: false, timeout: 1, negate: false });
    expect(await passes(user)).toBe(false);
    await server().admin.delete(path);
  });

  test.each(Object.keys(grounds))(
    '%s: every decision reads bindings, groups and policies as they are then',
    async (name) => {
      const { target, passes } = await (grounds[name] as (typeof grounds)[string])(server());
      const parent = await made(server(), '/core/groups/', { name: unique('parent') });
      const group = await made(server(), '/core/groups/', { name: unique('group') });
      const user = await server().user([], { groups: [group.pk] });
      const { admin } = server();
      const bound = await bind(target, { group: parent.pk });
      const changes: [string, () => Promise<unknown>, boolean][] = [
        ['not a member', async () => {}, false],
        ['a member through a parent', () => admin.patch(`/core/groups/${group.pk}/`, { parent: parent.pk }), true],
        ['left the group', () => admin.post(`/core/groups/${group.pk}/remove_user/`, { pk: user.pk }), false],
        ['came back', () => admin.post(`/core/groups/${group.pk}/add_user/`, { pk: user.pk }), true],
        ['negated', () => admin.patch(`/policies/bindings/${bound.pk}/`, { negate: true }), false],
        ['switched off', () => admin.patch(`/policies/bindings/${bound.pk}/`, { enabled: false }), true],
      ];
      for (const [what, change, expected] of changes) {
        await change();
        // Asked twice: the second time finds what the first has left behind.
        expect([what, await passes(user), await passes(user)]).toEqual([what, expected, expected]);
      }
      const policy = await expression('return user.attributes.vip === true');
      const second = await bind(target, { policy: policy.pk }, 1);
      const more: [string, () => Promise<unknown>, boolean][] = [
        ['a new policy', async () => {}, false],
        ['the user changed', () => admin.patch(`/core/users/${user.pk}/`, { attributes: { vip: true } }), true],
        [
          'the policy changed',
          () => admin.patch(`/policies/expression/${policy.pk}/`, { expression: 'return false' }),
          false,
        ],
        ['the binding is gone', () => admin.delete(`/policies/bindings/${second.pk}/`), true],
      ];
      for (const [what, change, expected] of more) {
        await change();
        expect([what, await passes(user), await passes(user)]).toEqual([what, expected, expected]);
      }
    },
  );

  test('executions are recorded each time where that is switched on', async () => {
    const { target, passes } = await (grounds.flow as (typeof grounds)[string])(server());
    const user = await server().user();
    const policy = await expression('return true', { execution_logging: true });
    await bind(target, { policy: policy.pk });
    for (let time = 0; time < 2; time++) {
      const events = await eventsDuring(server(), async () => void (await passes(user)));
      expect(events.map(({ action }) => action)).toEqual(['policy_execution']);
    }
    await server().admin.patch(`/policies/expression/${policy.pk}/`, { expression: 'return nothing.at.all' });
    const events = await eventsDuring(server(), async () => void (await passes(user)));
    expect(events.map(({ action }) => action)).toEqual(['policy_exception']);
  });

  test('a notification rule acts when any binding passes, unless it is negated or fails', async () => {
    const group = await made(server(), '/core/groups/', { name: unique('told') });
    const reader = await server().user([], { groups: [group.pk] });
    const rule = await made(server(), '/events/rules/', { name: unique('rule'), group: group.pk });
    const told = async () => {
      const action = `custom_${unique('x').replace('-', '_')}`;
      await server().admin.post('/events/events/', { action, app: 'tests', client_ip: '192.0.2.1' });
      await quiet(server());
      const { body } = await reader.api.get('/events/notifications/');
      return body.results.some(({ event }: { event: { action: string } }) => event?.action === action);
    };
    expect(await told()).toBe(false);
    const no = await expression('return false');
    const first = await bind(rule.pk, { policy: no.pk });
    expect(await told()).toBe(false);
    await server().admin.patch(`/policies/bindings/${first.pk}/`, { negate: true });
    expect(await told()).toBe(true);
    await server().admin.patch(`/policies/bindings/${first.pk}/`, { negate: false });
    const second = await bind(rule.pk, { policy: (await expression('return nothing.at.all')).pk, negate: true }, 1);
    expect(await told()).toBe(false);
    await server().admin.patch(`/policies/bindings/${second.pk}/`, { failure_result: true });
    expect(await told()).toBe(true);
  });
});
