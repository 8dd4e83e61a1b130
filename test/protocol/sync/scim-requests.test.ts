import { describe, expect, test } from 'vitest';
import { until } from '../../support/jobs.ts';
import type { Document, Fault, JsonRequest } from '../../support/json-server.ts';
import { scimWorkshop } from '../../support/scim-workshop.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { ledgerOf, localTargets, makeGroup, makeUser } from '../../support/sync.ts';

describeOnSqlite(
  'what a SCIM server is sent',
  (server) => {
    const start = scimWorkshop(server);
    const withMappings = async (pk: number, member: string, ...expressions: string[]) => {
      const { admin } = server();
      const path = `/providers/scim/${pk}/`;
      const mappings: string[] = (await admin.get(path)).body[member];
      for (const [index, expression] of expressions.entries()) {
        const name = `zz ${index} ${Math.random()}`;
        mappings.push((await admin.post('/propertymappings/provider/scim/', { name, expression })).body.pk);
      }
      await admin.patch(path, { [member]: mappings });
    };

    test('a bearer token and SCIM’s own media type, below an address with or without a slash at its end', async () => {
      const { target, settle, person, provider, admin, sent } = await start();
      await admin.patch(`/providers/scim/${provider.pk}/`, { url: `${target.settings.url}//` });
      await person();
      await settle();
      const [{ headers, segments } = { headers: {}, segments: [] }] = sent('POST', 'Users');
      expect(segments).toEqual(['v2', 'Users']);
      expect(headers).toMatchObject({
        authorization: `Bearer ${target.settings.token}`,
        accept: 'application/scim+json',
        'content-type': 'application/scim+json',
      });
    });

    test('mappings in the order of their names: the last one wins, lists are united, and identifiers may be replaced', async () => {
      const { settle, person, provider, sent } = await start();
      await withMappings(
        provider.pk,
        'property_mappings',
        "return { title: 'First', roles: ['a', 'b'], externalId: user.username, schemas: ['urn:extension'] };",
        "return { title: 'Second', roles: ['b', 'c'], password: 'mine' };",
      );
      await withMappings(provider.pk, 'property_mappings_group', "return { displayName: group.name + ' (group)' };");
      const ada = await person();
      await settle();
      const { body } = sent('POST', 'Users').at(-1) ?? { body: null };
      expect(body).toMatchObject({
        title: 'Second',
        roles: ['a', 'b', 'c'],
        externalId: ada.username,
        schemas: ['urn:extension'],
      });
      expect(body).not.toHaveProperty('password');
      const group = await makeGroup(server().admin);
      await settle();
      expect(sent('POST', 'Groups').at(-1)?.body).toEqual({
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
        externalId: group.pk,
        displayName: `${group.name} (group)`,
      });
    });

    test('groups without their members where it takes PATCH, and changes of a group without its id', async () => {
      const { settle, person, admin, sent, groupAt, userAt } = await start();
      const ada = await person();
      const group = await makeGroup(admin, { users: [ada.pk] });
      await settle();
      await admin.patch(`/core/groups/${group.pk}/`, { name: `${group.name}-2` });
      await settle();
      const { id } = groupAt(`${group.name}-2`);
      expect(sent('POST', 'Groups').at(-1)?.body).not.toHaveProperty('members');
      const patches = sent('PATCH', 'Groups').filter(({ segments }) => segments[2] === id);
      expect(patches.flatMap(({ body }) => body.Operations)).toEqual([
        { op: 'add', path: 'members', value: [{ value: userAt(ada.username).id }] },
        { op: 'replace', value: { externalId: group.pk, displayName: `${group.name}-2` } },
      ]);
    });

    test('who is a member of the group itself, not who is in a group below it', async () => {
      const { settle, person, scope, admin, userAt, target } = await start();
      const [member, below] = [await person(), await makeUser(admin)];
      await makeGroup(admin, { parent: scope.pk, users: [below.pk] });
      await settle();
      expect([userAt(member.username) !== undefined, userAt(below.username)]).toEqual([true, undefined]);
      expect(target.users.size).toBe(1);
    });

    test('nothing more of those who leave the scope when the provider is changed: they are removed', async () => {
      const { settle, person, admin, provider, userAt } = await start();
      const [robot, human] = [await person({ type: 'service_account' }), await person()];
      await settle();
      expect(userAt(robot.username)).toBeDefined();
      await admin.patch(`/providers/scim/${provider.pk}/`, { exclude_users_service_account: true });
      await settle();
      expect([userAt(robot.username), userAt(human.username) !== undefined]).toEqual([undefined, true]);
      await admin.patch(`/providers/scim/${provider.pk}/`, { filter_group: (await makeGroup(admin)).pk });
      await settle();
      expect(userAt(human.username)).toBeUndefined();
    });

    const patch = { supported: true };
    const configs: [string, Document, boolean][] = [
      ['no bulk operations', { patch, filter: { supported: true }, bulk: { supported: false } }, true],
      ['bulk operations as a plain no', { patch, filter: { supported: true }, bulk: false }, true],
      ['no limit at all', { patch, filter: { supported: true }, bulk: { supported: true, maxOperations: 0 } }, true],
      ['its members in capitals', { PATCH: { SUPPORTED: true } }, true],
      ['that it has no PATCH', { patch: { supported: false } }, false],
      ['nothing that is known', { documentationUri: 'https://scim.example' }, false],
      ['no object', ['patch'], false],
    ];
    test.each(configs)('PATCH or PUT as it says of itself: %s', async (_name, config, patches) => {
      const { settle, person, admin, sent, groupAt, userAt } = await start({ config });
      const ada = await person();
      const group = await makeGroup(admin, { users: [ada.pk] });
      await settle();
      expect(groupAt(group.name).members).toEqual([{ value: userAt(ada.username).id }]);
      expect(sent('PATCH', 'Groups').length > 0).toBe(patches);
    });
  },
  localTargets,
);

describeOnSqlite(
  'what a SCIM server answers',
  (server) => {
    const start = scimWorkshop(server);

    test('is told in its own words', async () => {
      const { target, settle, person, admin, provider } = await start();
      const faults: Record<string, Fault> = {
        detail: { status: 400, body: { detail: 'In SCIM.' } },
        error: { status: 403, body: { error: { message: 'As an error.' } } },
        description: { status: 422, body: { error: 'x', error_description: 'As a description.' } },
        other: { status: 418, body: ['no object'] },
      };
      target.fault = ({ method, body }: JsonRequest) => (method === 'POST' && faults[body.displayName]) || null;
      const people = [];
      for (const name of Object.keys(faults)) people.push(await person({ name }));
      expect((await settle()).failed).toBe(people.length);
      const errors = [];
      for (const { pk } of people) errors.push((await ledgerOf(admin, 'scim', provider.pk, `user=${pk}`)).error);
      expect(errors).toEqual([
        'The target answered 400: In SCIM.',
        'The target answered 403: As an error.',
        'The target answered 422: As a description.',
        'The target answered 418: ["no object"]',
      ]);
    });

    test('stops the run when it refuses the token, which is sent again once it is changed', async () => {
      const { settle, person, admin, provider, userAt, target } = await start();
      await admin.patch(`/providers/scim/${provider.pk}/`, { token: 'wrong' });
      let status: Document;
      await until(async () => {
        status = (await admin.get(`/providers/scim/${provider.pk}/sync/status/`)).body;
        return status.run.state === 'failed';
      });
      const message = 'The target answered 401: not this token';
      expect(status).toMatchObject({ message, run: { message: `Stopping sync due to error: ${message}` } });
      const ada = await person();
      await admin.patch(`/providers/scim/${provider.pk}/`, { token: target.settings.token });
      await settle();
      expect(userAt(ada.username)).toBeDefined();
    });

    describe('about what is there already', () => {
      test('links a group of exactly that name after a conflict', async () => {
        const { target, settle, admin, provider } = await start();
        const name = `known "group" ${Math.random()}`;
        target.groups.set('wrong', { id: 'wrong', displayName: name.toUpperCase() });
        target.groups.set('right', { id: 'right', displayName: name, members: [{ value: 'stranger' }] });
        const group = await makeGroup(admin, { name });
        await settle();
        expect((await ledgerOf(admin, 'scim', provider.pk, `group=${group.pk}`)).remote_id).toBe('right');
        expect(target.groups.get('right')).toMatchObject({ externalId: group.pk, members: [] });
        expect(target.groups.get('wrong')).not.toHaveProperty('externalId');
      });

      test('is taken entry by entry: one without an id does not spoil the rest', async () => {
        const { target, settle, person, admin, provider, rerun } = await start();
        target.fault = ({ method }) => (method === 'POST' ? { status: 403, body: {} } : null);
        const ada = await person();
        await settle();
        target.fault = () => null;
        target.users.set('none', { userName: 'nobody' });
        target.users.set('there', { id: 'there', userName: ada.username });
        await rerun();
        expect((await ledgerOf(admin, 'scim', provider.pk, `user=${ada.pk}`)).remote_id).toBe('there');
      });
    });

    test('is not needed for a dry run: it shows all requests that would follow', async () => {
      const { target, settle, person, admin, provider, userAt } = await start();
      const ada = await person();
      await settle();
      target.fault = ({ method }) => (method === 'POST' ? { status: 403, body: {} } : null);
      const group = await makeGroup(admin, { users: [ada.pk] });
      await settle();
      const path = `/providers/scim/${provider.pk}/sync/object/?dry_run=true`;
      const body = { sync_object_model: 'svc.core.models.Group', sync_object_id: group.pk };
      const { messages } = (await admin.post(path, body)).body;
      const shown = messages.filter(({ event }: Document) => !event.startsWith('GET '));
      const base = `${target.settings.url}/Groups`;
      expect(shown).toMatchObject([
        { log_level: 'info', event: `POST ${base}`, attributes: { body: { displayName: group.name } } },
        {
          log_level: 'info',
          event: `PATCH ${base}/created-by-dry-run`,
          attributes: { body: { Operations: [{ op: 'add', value: [{ value: userAt(ada.username).id }] }] } },
        },
      ]);
    });
  },
  localTargets,
);
