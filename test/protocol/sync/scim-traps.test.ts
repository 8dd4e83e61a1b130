import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import { until } from '../../support/jobs.ts';
import type { Document, JsonRequest } from '../../support/json-server.ts';
import { type ScimTarget, startScimTarget } from '../../support/scim-target.ts';
import { scimWorkshop } from '../../support/scim-workshop.ts';
import { describeOnSqlite, type TestServer } from '../../support/server.ts';
import { ledgerOf, localTargets, makeGroup, makeUser } from '../../support/sync.ts';

describeOnSqlite('outgoing sync (SCIM)', (server) => common(server), localTargets);
describeOnSqlite('SCIM servers that differ', (server) => servers(server), localTargets);

function common(server: () => TestServer): void {
  const start = scimWorkshop(server);

  test('a change that is rolled back is not sent, and one that is committed is', async () => {
    const { admin, provider, settle, person, userAt } = await start();
    const ada = await person();
    await settle();
    await admin.patch(`/core/users/${ada.pk}/?dry_run=true`, { name: 'Never' });
    await admin.patch(`/core/users/${ada.pk}/`, { username: `${ada.username}-2` });
    await settle();
    expect(userAt(`${ada.username}-2`).displayName).toBe('Test Person');
    const { rows } = await sql`select 1 from sync_changes`.execute(server().world.db.read);
    expect(rows).toEqual([]);
    expect(provider.pk).toBeTypeOf('number');
  });

  test('what only says when a user signed in triggers nothing, and what changes nothing sends nothing', async () => {
    const { target, settle, person, rerun, sent } = await start();
    const ada = await person();
    await settle();
    const { db } = server().world;
    await db.write((tx) =>
      sql`update users set last_login = ${'2026-01-01T00:00:00.000000Z'} where pk = ${ada.pk}`.execute(tx),
    );
    const { rows } = await sql`select 1 from sync_changes`.execute(db.read);
    expect(rows).toEqual([]);
    target.requests.length = 0;
    await rerun();
    expect(
      ['POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method) => [...sent(method, 'Users'), ...sent(method, 'Groups')]),
    ).toEqual([]);
  });

  test('one bad object never stops a run: it fails alone and says why', async () => {
    const { target, settle, person, admin, provider, userAt } = await start();
    target.fault = ({ body }: JsonRequest) =>
      body.displayName === 'Bad Person' ? { status: 400, body: { detail: 'Bad it is.' } } : null;
    const [bad, good] = [await person({ name: 'Bad Person' }), await person()];
    const status = await settle();
    expect(status.failed).toBe(1);
    expect(userAt(good.username)).toBeDefined();
    expect(await ledgerOf(admin, 'scim', provider.pk, `user=${bad.pk}`)).toMatchObject({
      error: 'The target answered 400: Bad it is.',
      remote_id: null,
      requests: [{ method: 'POST', status: 400, answer: '{"detail":"Bad it is."}', body: { userName: bad.username } }],
    });
    await admin.patch(`/core/users/${bad.pk}/`, { name: 'Good Person' });
    await settle();
    expect(userAt(bad.username)).toBeDefined();
  });

  test('an object that is unknown there is created again, and one that is gone is deleted already', async () => {
    const { target, settle, person, userAt, admin, rerun } = await start();
    const [ada, grace, alan] = [await person(), await person(), await person()];
    await settle();
    for (const { username } of [ada, grace, alan]) target.users.delete(userAt(username).id);
    await admin.patch(`/core/users/${ada.pk}/`, { name: 'Again Here' });
    await admin.delete(`/core/users/${grace.pk}/`);
    await settle();
    expect(userAt(ada.username)).toMatchObject({ displayName: 'Again Here' });
    await rerun();
    expect(userAt(alan.username)).toBeDefined();
    expect(target.users.size).toBe(2);
  });

  test('a busy target is left alone for as long as it says', async () => {
    const { target, settle, person, userAt } = await start();
    let refusals = 0;
    const times: number[] = [];
    target.fault = ({ method }: JsonRequest) => {
      if (method !== 'POST') return null;
      times.push(performance.now());
      refusals += 1;
      return refusals === 1 ? { status: 429, headers: { 'retry-after': '3' }, body: {} } : null;
    };
    const ada = await person();
    await until(() => userAt(ada.username) !== undefined);
    await settle();
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(2_900);
  });

  test('a target that fails or never answers gets everything later, once', async () => {
    const { target, settle, person } = await start();
    let number = 0;
    target.fault = () => {
      number += 1;
      if (number === 1) return { status: 500, body: {} };
      return number === 2 ? 'lost' : null;
    };
    const people = [await person(), await person()];
    await settle();
    expect([...target.users.values()].map(({ userName }) => userName).sort()).toEqual(
      people.map(({ username }) => username).sort(),
    );
  });

  test('a provider without an application does nothing; a dry run shows what it would do', async () => {
    const target = await startScimTarget();
    const { admin } = server();
    const mappings = (await admin.get('/propertymappings/provider/scim/?managed=gatehouse/providers/scim/user')).body;
    const { body } = await admin.post('/providers/scim/', {
      name: `idle ${Math.random()}`,
      property_mappings: mappings.results.map(({ pk }: { pk: string }) => pk),
      ...target.settings,
    });
    const ada = await makeUser(admin);
    const path = `/providers/scim/${body.pk}/sync/object/`;
    const object = { sync_object_model: 'svc.core.models.User', sync_object_id: String(ada.pk) };
    let result: Document = {};
    const events = await eventsDuring(server(), async () => {
      result = (await admin.post(path, object)).body;
    });
    // Nothing is sent, so no event says so.
    expect(events).toEqual([]);
    expect(result.messages).toMatchObject([{ event: 'No provider found. Is it assigned to an application?' }]);
    expect(target.requests).toEqual([]);
    const tried = await admin.post(`${path}?dry_run=true`, object);
    expect(tried.body.messages).toContainEqual(
      expect.objectContaining({ event: expect.stringMatching(/^POST .*\/Users$/) }),
    );
    expect(target.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    await admin.delete(`/providers/scim/${body.pk}/`);
    await target.close();
  });

  test('one object can be sent now, and a dry run shows the requests without sending them', async () => {
    const { target, settle, person, admin, provider } = await start();
    const ada = await person();
    await settle();
    target.requests.length = 0;
    const path = `/providers/scim/${provider.pk}/sync/object/`;
    const body = { sync_object_model: 'svc.core.models.User', sync_object_id: String(ada.pk) };
    const tried = await admin.post(`${path}?dry_run=true`, body);
    expect(tried.body.messages).toMatchObject([
      {
        event: expect.stringMatching(/^PUT http.*\/Users\//),
        attributes: { status: null, body: { userName: ada.username } },
      },
    ]);
    expect(target.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    let done: Document = {};
    const events = await eventsDuring(server(), async () => {
      done = await admin.post(path, body);
    });
    expect(events).toMatchObject([
      { action: 'system_task_execution', username: 'admin', context: { model: { name: provider.name } } },
    ]);
    expect(done.body.messages).toMatchObject([{ event: expect.stringMatching(/^PUT /), attributes: { status: 200 } }]);
    const elsewhere = await admin.post(path, { ...body, sync_object_id: '999999999' });
    expect([elsewhere.status, elsewhere.body]).toEqual([200, { messages: [] }]);
    const viewer = await server().user(['svc_providers_scim.view_scimprovider']);
    expect((await viewer.api.post(path, body)).status).toBe(403);
    expect((await viewer.api.get(`/providers/scim/${provider.pk}/`)).body.token).toBe('');
  });

  test('a mapping can leave an object out; one that fails stops the run and is recorded', async () => {
    const { admin, settle, person, userAt, provider } = await start();
    const expression =
      "if (user.name === 'Left Out') skip_object();\nreturn { emails: [{ value: user.email, type: 'other', primary: true }] };";
    const mapping = (
      await admin.post('/propertymappings/provider/scim/', { name: `skip ${Math.random()}`, expression })
    ).body;
    const { property_mappings } = (await admin.get(`/providers/scim/${provider.pk}/`)).body;
    await admin.patch(`/providers/scim/${provider.pk}/`, { property_mappings: [...property_mappings, mapping.pk] });
    const [left, taken] = [await person({ name: 'Left Out' }), await person()];
    await settle();
    expect(userAt(left.username)).toBeUndefined();
    expect(userAt(taken.username).emails).toHaveLength(1);

    let status: { run: { state: string; message: string } } = await settle();
    await admin.patch(`/propertymappings/provider/scim/${mapping.pk}/`, { expression: 'return user.nothing.here' });
    await until(async () => {
      status = (await admin.get(`/providers/scim/${provider.pk}/sync/status/`)).body;
      return status.run.state === 'failed';
    });
    expect(status.run.message).toMatch(/^Stopping sync due to error: A mapping failed: TypeError/);
    const events = await admin.get('/events/events/?action=configuration_error');
    expect(events.body.results[0].context).toMatchObject({ expression: 'return user.nothing.here' });

    await admin.patch(`/providers/scim/${provider.pk}/`, { property_mappings: [] });
    await until(async () => {
      status = (await admin.get(`/providers/scim/${provider.pk}/sync/status/`)).body;
      return status.run.state === 'failed' && /No mappings configured/.test(status.run.message);
    });
  });

  test('a group that is renamed or moved reaches its members where a mapping reads groups', async () => {
    const { admin, settle, person, userAt, provider, target } = await start();
    const expression = "return { title: user.groups.map(({ name }) => name).sort().join(' ') };";
    const mapping = (await admin.post('/propertymappings/provider/scim/', { name: `g ${Math.random()}`, expression }))
      .body;
    const { property_mappings } = (await admin.get(`/providers/scim/${provider.pk}/`)).body;
    await admin.patch(`/providers/scim/${provider.pk}/`, { property_mappings: [...property_mappings, mapping.pk] });
    const [ada, other] = [await person(), await person()];
    const parent = await makeGroup(admin);
    const group = await makeGroup(admin, { users: [ada.pk], parent: parent.pk });
    await settle();
    expect(userAt(ada.username).title).toContain(parent.name);
    target.requests.length = 0;
    await admin.patch(`/core/groups/${parent.pk}/`, { name: `${parent.name}-new` });
    await settle();
    expect(userAt(ada.username).title).toContain(`${parent.name}-new`);
    await admin.patch(`/core/groups/${group.pk}/`, { parent: null });
    await settle();
    expect(userAt(ada.username).title).not.toContain(parent.name);
    const written = target.requests.filter(({ method, body }) => method === 'PUT' && body.userName);
    expect(written.map(({ body }) => body.userName)).not.toContain(other.username);
  });

  test('service accounts are left out where the provider says so', async () => {
    const { settle, person, userAt, admin } = await start({}, { exclude_users_service_account: true });
    const [robot, human] = [await person({ type: 'service_account' }), await person()];
    await settle();
    expect([userAt(robot.username), userAt(human.username)]).toEqual([undefined, expect.anything()]);
    // Who leaves the scope leaves the target.
    await admin.patch(`/core/users/${human.pk}/`, { type: 'service_account' });
    await settle();
    expect(userAt(human.username)).toBeUndefined();
  });
}

function servers(server: () => TestServer): void {
  const start = scimWorkshop(server);
  const membersOf = (group: { members?: { value: string }[] }) =>
    (group.members ?? []).map(({ value }) => value).sort();

  describe('without PATCH', () => {
    test('groups are written whole, and their last member can be removed', async () => {
      const { settle, person, userAt, groupAt, admin, sent } = await start({ patch: false });
      const ada = await person();
      const group = await makeGroup(admin, { users: [ada.pk] });
      await settle();
      expect(membersOf(groupAt(group.name))).toEqual([userAt(ada.username).id]);
      await admin.post(`/core/groups/${group.pk}/remove_user/`, { pk: ada.pk });
      await settle();
      expect(groupAt(group.name).members).toEqual([]);
      expect(sent('PATCH', 'Groups')).toEqual([]);
    });
  });

  test('a server that says nothing of itself is sent PATCH where it refuses PUT', async () => {
    const { target, settle, groupAt, admin, sent } = await start({ config: null });
    const group = await makeGroup(admin);
    await settle();
    target.fault = ({ method }) => (method === 'PUT' ? { status: 501, body: {} } : null);
    await admin.patch(`/core/groups/${group.pk}/`, { name: `${group.name}-2` });
    await settle();
    expect(groupAt(`${group.name}-2`)).toBeDefined();
    expect(sent('PATCH', 'Groups')).toHaveLength(1);
    const [operation] = sent('PATCH', 'Groups')[0]?.body.Operations ?? [];
    expect(operation).toMatchObject({ op: 'replace', value: { displayName: `${group.name}-2` } });
    expect(operation.value).not.toHaveProperty('id');
  });

  test('its configuration is asked for once, and again when the provider is saved', async () => {
    const { settle, person, sent, rerun, admin, provider } = await start();
    const before = sent('GET', 'ServiceProviderConfig').length;
    await person();
    await settle();
    await rerun();
    expect(sent('GET', 'ServiceProviderConfig')).toHaveLength(before);
    await admin.patch(`/providers/scim/${provider.pk}/`, { name: `renamed ${Math.random()}` });
    await settle();
    expect(sent('GET', 'ServiceProviderConfig')).toHaveLength(before + 1);
  });

  test('members are added in chunks as large as it takes, and removed one operation each', async () => {
    const config = {
      patch: { supported: true },
      filter: { supported: true },
      bulk: { supported: true, maxOperations: 2 },
    };
    const { settle, person, admin, groupAt, sent } = await start({ config });
    const people = [await person(), await person(), await person()];
    await settle();
    const group = await makeGroup(admin, { users: people.map(({ pk }) => pk) });
    await settle();
    const of = () => sent('PATCH', 'Groups').filter(({ segments }) => segments[2] === groupAt(group.name).id);
    expect(of().map(({ body }) => body.Operations[0].value.length)).toEqual([2, 1]);
    await admin.patch(`/core/groups/${group.pk}/`, { users: [] });
    await settle();
    const removals = of()
      .slice(2)
      .flatMap(({ body }) => body.Operations);
    expect(removals.filter(({ op }) => op === 'remove').map(({ path }) => path)).toEqual([
      ...Array.from({ length: 3 }, () => expect.stringMatching(/^members\[value eq "id-\d+"\]$/)),
    ]);
    expect(groupAt(group.name).members).toEqual([]);
  });

  test('a server that shows no members gets them all the same', async () => {
    const { settle, person, admin, groupAt, userAt, rerun } = await start({
      shown: ({ members: _, ...rest }, { segments }) =>
        segments[1] === 'Groups' && segments[2] ? rest : { members: _, ...rest },
    });
    const ada = await person();
    const group = await makeGroup(admin, { users: [ada.pk] });
    await settle();
    await rerun();
    expect(membersOf(groupAt(group.name))).toEqual([userAt(ada.username).id]);
  });

  test('ids may be numbers, and members may be written in any case', async () => {
    const shout = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shout);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name.toUpperCase(), shout(inner)]));
    };
    const { target, settle, person, admin, groupAt } = await start({ idOf: (number) => number, shown: shout });
    target.users.set('77', { id: 77, userName: `odd"name-${Date.now()}`, displayName: 'Before' });
    const odd = await person({ username: target.users.get('77').userName });
    const group = await makeGroup(admin, { users: [odd.pk] });
    await settle();
    expect(target.users.get('77').displayName).toBe('Test Person');
    expect(membersOf(groupAt(group.name))).toEqual(['77']);
  });

  test('an answer without an id fails that object', async () => {
    const { settle, person, admin, provider } = await start({ shown: ({ id: _, ...rest }) => rest });
    const ada = await person();
    await settle();
    expect((await ledgerOf(admin, 'scim', provider.pk, `user=${ada.pk}`)).error).toBe(
      'SCIM Response with missing or invalid `id`',
    );
  });

  test('a conflict links the object of exactly that name, however the filter is understood', async () => {
    const known: { users?: ScimTarget['users'] } = {};
    const { target, settle, person, admin, provider } = await start({
      shown: (body, { query }) =>
        query.has('filter') ? { ...body, Resources: [...(known.users?.values() ?? [])] } : body,
    });
    known.users = target.users;
    const username = `quoted"${Date.now()}`;
    target.users.set('wrong', { id: 'wrong', userName: `${username}-2` });
    target.users.set('right', { id: 'right', userName: username });
    const ada = await person({ username });
    await settle();
    expect((await ledgerOf(admin, 'scim', provider.pk, `user=${ada.pk}`)).remote_id).toBe('right');
    expect(target.users.get('right')).toMatchObject({ externalId: ada.uid });
    expect(target.users.get('wrong')).not.toHaveProperty('externalId');
  });

  test('a run finds what is there already, to the last entry of the last page', async () => {
    const { target, person, rerun, userAt, settle, admin, provider } = await start({
      shown: (body) => (body.Resources ? { ...body, itemsPerPage: 0 } : body),
    });
    await admin.patch(`/providers/scim/${provider.pk}/`, { filter_group: null });
    await settle();
    target.users.clear();
    for (let number = 0; number < 100; number++)
      target.users.set(`f-${number}`, { id: `f-${number}`, userName: `foreign-${number}` });
    const username = `last-${Date.now()}`;
    target.users.set('last', { id: 'last', userName: 'somebody', emails: [{ value: `${username}@example.com` }] });
    target.fault = ({ method }) => (method === 'GET' ? null : { status: 403, body: {} });
    const ada = await person({ username, email: `${username}@example.com` });
    await settle();
    target.fault = () => null;
    target.requests.length = 0;
    await rerun();
    expect(userAt(username)?.id).toBe('last');
    expect((await ledgerOf(admin, 'scim', provider.pk, `user=${ada.pk}`)).remote_id).toBe('last');
    const lists = target.requests.filter(
      ({ method, segments }) => method === 'GET' && segments[1] === 'Users' && !segments[2],
    );
    expect(lists.length).toBeLessThan(5);
  });

  test.each([
    ['aws', { patches: false }],
    ['webex', { memberType: 'user', patches: true }],
    ['gitlab', { asksConfig: false, patches: false }],
    ['vcenter', { asksConfig: false, patches: false }],
    ['slack', { patches: true }],
    ['sfdc', { configPath: 'ServiceProviderConfigs', patches: true }],
  ])('the mode %s does as that vendor’s server needs', async (mode, expected) => {
    const { settle, person, admin, sent, groupAt } = await start({}, { compatibility_mode: mode });
    const ada = await person();
    const group = await makeGroup(admin, { users: [ada.pk] });
    await settle();
    const asks = [...sent('GET', 'ServiceProviderConfig'), ...sent('GET', 'ServiceProviderConfigs')];
    expect(asks.length > 0).toBe(!('asksConfig' in expected));
    if ('configPath' in expected) expect(asks[0]?.segments[1]).toBe(expected.configPath);
    expect(sent('PATCH', 'Groups').length > 0).toBe(expected.patches);
    const [member] = groupAt(group.name).members;
    expect(member.type).toBe('memberType' in expected ? expected.memberType : undefined);
  });

  test('the mode aws leaves out what that server refuses, and sends one value where it takes one', async () => {
    const { settle, person, admin, sent, provider } = await start({}, { compatibility_mode: 'aws' });
    const expression = `return { ims: [{ value: 'x' }], entitlements: ['y'], x509Certificates: ['z'], title: 'Boss',
      photos: [{ value: 'https://photos.example/1', type: 'photo' }], phoneNumbers: [{ value: '1' }, { value: '2' }],
      emails: [{ value: 'second@example.com' }] };`;
    const { body } = await admin.post('/propertymappings/provider/scim/', {
      name: `more ${Math.random()}`,
      expression,
    });
    const { property_mappings } = (await admin.get(`/providers/scim/${provider.pk}/`)).body;
    await admin.patch(`/providers/scim/${provider.pk}/`, { property_mappings: [...property_mappings, body.pk] });
    await settle();
    const ada = await person();
    await settle();
    const [created] = sent('POST', 'Users').filter((one) => one.body.userName === ada.username);
    expect(Object.keys(created?.body)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(ims|entitlements|x509Certificates|photos)$/)]),
    );
    expect(created?.body).toMatchObject({ title: 'Boss', phoneNumbers: [{ value: '1' }] });
    expect(created?.body.emails).toHaveLength(1);
  });

  test('the mode slack looks names up though the server says that it has no filters', async () => {
    const config = { patch: { supported: true }, filter: { supported: false } };
    const linked: unknown[] = [];
    for (const compatibility_mode of ['slack', 'default']) {
      const { target, settle, person, admin, provider } = await start({ config }, { compatibility_mode });
      const username = `there-${compatibility_mode}-${Date.now()}`;
      target.users.set('known', { id: 'known', userName: username });
      const ada = await person({ username });
      await settle();
      linked.push((await ledgerOf(admin, 'scim', provider.pk, `user=${ada.pk}`)).remote_id);
    }
    expect(linked).toEqual(['known', null]);
  });

  test('metrics count what is outstanding and failing, and how far the last run is', async () => {
    const { target, person, settle, provider, rerun } = await start();
    target.fault = ({ body }: JsonRequest) => (body.displayName === 'Bad Person' ? { status: 400, body: {} } : null);
    await person({ name: 'Bad Person' });
    await person();
    await settle();
    const { run } = await rerun();
    const metrics = await (await fetch(`${server().url}/-/metrics`)).text();
    const figure = (state: string) => {
      const label = `gatehouse_sync_objects{provider="${provider.name}",state="${state}"} `;
      return metrics.split('\n').flatMap((line) => (line.startsWith(label) ? Number(line.slice(label.length)) : []));
    };
    const states = ['outstanding', 'failing', 'run_done', 'run_left', 'run_failed'];
    expect(states.map(figure)).toEqual([[0], [1], [run.done], [0], [1]]);
  });
}
