import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { firstStart, processToken, type RunningServer, startServerProcess } from '../../support/gatehouse-process.ts';
import { until } from '../../support/jobs.ts';
import type { Fault, JsonRequest } from '../../support/json-server.ts';
import { startScimTarget } from '../../support/scim-target.ts';
import { scimWorkshop } from '../../support/scim-workshop.ts';
import { describeOnSqlite, newFolder } from '../../support/server.ts';
import { ledgerOf, localTargets, makeGroup, makeSyncProvider, makeUser, statusOf } from '../../support/sync.ts';

const failing: Fault = { status: 500, body: {} };

/** The fault for the first of these requests; the others fail until it is taken away. */
function first(fault: Fault, isMeant: (request: JsonRequest) => boolean) {
  let isOver = false;
  return (request: JsonRequest): Fault => {
    if (!isMeant(request)) return null;
    const now = isOver ? failing : fault;
    isOver = true;
    return now;
  };
}

describeOnSqlite(
  'a push whose outcome nobody knows',
  (server) => {
    const start = scimWorkshop(server);

    test('is repeated although the object was changed back to what was sent before', async () => {
      const { target, settle, person, userAt, admin } = await start();
      const ada = await person({ name: 'First' });
      await settle();
      target.fault = first('lost', ({ method, body }) => method === 'PUT' && body.displayName === 'Second');
      await admin.patch(`/core/users/${ada.pk}/`, { name: 'Second' });
      await until(() => userAt(ada.username).displayName === 'Second');
      await admin.patch(`/core/users/${ada.pk}/`, { name: 'First' });
      await settle();
      expect(userAt(ada.username).displayName).toBe('First');
    });

    test('deletes no account of the same name that was there before, when its user is deleted here', async () => {
      const { target, settle, person, userAt, admin, provider } = await start();
      target.fault = first('cut', ({ method }) => method === 'POST');
      const ada = await person();
      await until(async () => ((await ledgerOf(admin, 'scim', provider.pk, `user=${ada.pk}`))?.error ?? '') !== '');
      target.users.set('theirs', { id: 'theirs', userName: ada.username });
      await admin.delete(`/core/users/${ada.pk}/`);
      target.fault = () => null;
      await settle();
      expect(userAt(ada.username)).toEqual({ id: 'theirs', userName: ada.username });
    });

    test('does not keep a user out whose former name another has got meanwhile', async () => {
      const { target, settle, person, userAt, admin, provider } = await start();
      let uid = '';
      target.fault = first('cut', ({ method, body }) => method === 'POST' && (uid === '' || body.externalId === uid));
      const ada = await person();
      uid = ada.uid;
      await until(async () => ((await ledgerOf(admin, 'scim', provider.pk, `user=${ada.pk}`))?.error ?? '') !== '');
      await admin.patch(`/core/users/${ada.pk}/`, { username: `${ada.username}-2` });
      const other = await person({ username: ada.username });
      await until(() => userAt(ada.username)?.externalId === other.uid);
      target.fault = () => null;
      await settle();
      expect([userAt(ada.username).externalId, userAt(`${ada.username}-2`)?.externalId]).toEqual([other.uid, uid]);
    });
  },
  localTargets,
);

describeOnSqlite(
  'a target',
  (server) => {
    const start = scimWorkshop(server);

    test('that has lost a group gets it again, with its members, when one of them changes', async () => {
      const { target, settle, person, userAt, groupAt, admin } = await start();
      const ada = await person();
      const group = await makeGroup(admin);
      await settle();
      target.groups.delete(groupAt(group.name).id);
      await admin.post(`/core/groups/${group.pk}/add_user/`, { pk: ada.pk });
      await settle();
      expect(groupAt(group.name)?.members).toEqual([{ value: userAt(ada.username).id }]);
    });

    test('that gives two people of one batch the same id has one of them, and the other is told of in the ledger', async () => {
      let isConfused = false;
      const idOf = (number: number) => (isConfused ? 'the-same' : `id-${number}`);
      const { target, person, provider, admin } = await start({ idOf });
      isConfused = true;
      target.fault = () => failing;
      const people = [await person(), await person()];
      target.fault = () => null;
      await admin.patch(`/providers/scim/${provider.pk}/`, {});
      const rows = () => Promise.all(people.map(({ pk }) => ledgerOf(admin, 'scim', provider.pk, `user=${pk}`)));
      await until(async () => (await rows()).some((row) => /linked to another object/.test(row?.error)));
      expect((await rows()).map((row) => row.remote_id).sort()).toEqual([null, 'the-same']);
    });

    test('that fails now and then while it takes most is not left alone for longer each time', async () => {
      const { target, settle, person } = await start();
      const before = target.users.size;
      let number = 0;
      target.fault = ({ method }: JsonRequest) => {
        if (method === 'POST') number += 1;
        return method === 'POST' && number % 3 === 0 ? { status: 429, body: {} } : null;
      };
      const people = 24;
      await Promise.all(Array.from({ length: people }, () => person()));
      let most = 0;
      await until(async () => {
        const { rows } = await sql<{ failures: number }>`select failures from sync_targets`.execute(
          server().world.db.read,
        );
        most = Math.max(most, ...rows.map(({ failures }) => failures));
        return target.users.size === before + people;
      });
      await settle();
      // Only a batch that had no success at all counts on.
      expect(most).toBeLessThanOrEqual(2);
    });

    test('has nothing outstanding once a mapping leaves out what it failed to take in a full run', async () => {
      const { target, settle, person, admin, provider } = await start();
      const { body: mapping } = await admin.post('/propertymappings/provider/scim/', {
        name: `title ${Math.random()}`,
        expression: "return { title: 'Clerk' };",
      });
      const { property_mappings } = (await admin.get(`/providers/scim/${provider.pk}/`)).body;
      await admin.patch(`/providers/scim/${provider.pk}/`, { property_mappings: [...property_mappings, mapping.pk] });
      const ada = await person();
      await settle();
      const change = (expression: string) =>
        admin.patch(`/propertymappings/provider/scim/${mapping.pk}/`, { expression });
      target.fault = ({ method }) => (method === 'PUT' ? { status: 500, body: {} } : null);
      await change("return { title: 'Boss' };");
      await until(async () => ((await ledgerOf(admin, 'scim', provider.pk, `user=${ada.pk}`))?.error ?? '') !== '');
      await change('skip_object();');
      await settle();
      expect(await ledgerOf(admin, 'scim', provider.pk, `user=${ada.pk}`)).toMatchObject({ due: null, error: '' });
    });
  },
  localTargets,
);

test('what is changed back after a crash amid a push is sent again: a name, and a member of a group', async () => {
  const target = await startScimTarget();
  const folder = newFolder();
  const begin = () => startServerProcess({ GATEHOUSE_DATA_DIR: folder, ...firstStart, ...localTargets.env });
  let server: RunningServer = await begin();
  const admin = () => server.as(processToken);
  const provider = await makeSyncProvider(admin(), 'scim', target.settings);
  const ada = await makeUser(admin(), { name: 'First' });
  const group = await makeGroup(admin(), { users: [ada.pk] });
  const userAt = () => [...target.users.values()].find(({ userName }) => userName === ada.username);
  const membersAt = () => [...target.groups.values()].find(({ displayName }) => displayName === group.name)?.members;
  await until(() => membersAt()?.length === 1);
  await until(async () => (await statusOf(admin(), 'scim', provider.pk)).outstanding === 0);

  const member = (verb: string) => () => admin().post(`/core/groups/${group.pk}/${verb}_user/`, { pk: ada.pk });
  const name = (value: string) => () => admin().patch(`/core/users/${ada.pk}/`, { name: value });
  const cases = [
    {
      isChange: ({ method, body }: JsonRequest) => method === 'PUT' && body.displayName === 'Second',
      ...{ change: name('Second'), back: name('First'), isBack: () => userAt()?.displayName === 'First' },
    },
    {
      isChange: ({ method, text }: JsonRequest) => method === 'PATCH' && text.includes('"remove"'),
      ...{ change: member('remove'), back: member('add'), isBack: () => membersAt()?.length === 1 },
    },
  ];
  for (const { isChange, change, back, isBack } of cases) {
    target.fault = (request) => {
      // Other requests, such as those of a run at the start, are answered.
      if (!isChange(request)) return null;
      server.kill('SIGKILL');
      target.fault = () => failing;
      return 'lost';
    };
    // The server may be killed before it answers.
    await change().catch(() => undefined);
    await server.finished;
    expect(isBack()).toBe(false);
    server = await begin();
    await back();
    target.fault = () => null;
    await until(isBack);
  }
  await server.stop();
  await target.close();
});
