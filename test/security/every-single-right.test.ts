import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { Operation } from '../../src/resource/document/operation.ts';
import { isRef } from '../../src/resource/fields/ref.ts';
import type { Resource } from '../../src/resource/resource.ts';
import { type PreparedRequest, prepareRequest } from '../contract/drive.ts';
import { type Ground, prepareGround } from '../contract/every-resource.ts';
import { operationHints } from '../contract/hints.ts';
import { createProbe, type Probe } from '../contract/probe.ts';
import { describeOnSqlite, startServer, type TestUser } from '../support/server.ts';

/**
 * Resources that do not decide how people sign in, and why. A new resource declares `reaches: 'sign-in'` or is listed
 * here: the attacks below cannot find a resource that is in neither.
 */
const reachesNobody: Readonly<Record<string, string>> = {
  'svc_core.user': 'each account is guarded by what it holds',
  'svc_core.group': 'membership brings no more than the caller holds',
  'svc_rbac.role': 'a role brings no more than the caller holds',
  'svc_rbac.permission': 'only read',
  'svc_rbac.userobjectpermission': 'nobody gives what they do not hold',
  'svc_rbac.roleobjectpermission': 'nobody gives what they do not hold',
  'svc_core.token': 'made for its owner alone',
  'svc_core.authenticatedsession': 'ended by its owner alone',
  'svc_policies.policybinding': 'asks for change on what it is bound to',
  'svc_policies_reputation.reputation': 'a count of guesses; who guesses is still counted per user',
  'svc_core.application': 'who uses an application',
  'svc_stages_consent.userconsent': 'undone by its owner alone',
  'svc_core.provider': 'clients; those with the scope of the API are for superusers',
  'svc_providers_oauth2.oauth2provider': 'clients; those with the scope of the API are for superusers',
  'svc_providers_saml.samlprovider': 'service providers elsewhere; this server takes none of its assertions',
  'svc_providers_proxy.proxyprovider': 'who passes to an application; upstreams are for superusers',
  'svc_providers_ldap.ldapprovider': 'who may bind, by a flow for authentication; what is published is for superusers',
  'svc_providers_radius.radiusprovider': 'who gets into a network; answers open nothing here',
  'svc_providers_workspace_directory.workspacedirectoryprovider': 'what another directory is told',
  'svc_providers_scim.scimprovider': 'what another server is told',
  'svc_providers_scim.scimprovideruser': 'what another server is told',
  'svc_providers_scim.scimprovidergroup': 'what another server is told',
  'svc_providers_cloud_directory.clouddirectoryprovider': 'what another directory is told',
  'svc_providers_cloud_directory.clouddirectoryprovideruser': 'what another directory is told',
  'svc_providers_cloud_directory.clouddirectoryprovidergroup': 'what another directory is told',
  'svc_providers_workspace_directory.workspacedirectoryprovideruser': 'what another directory is told',
  'svc_providers_workspace_directory.workspacedirectoryprovidergroup': 'what another directory is told',
  'svc_providers_oauth2.accesstoken': 'revoked by those who may',
  'svc_providers_oauth2.refreshtoken': 'revoked by those who may',
  'svc_providers_oauth2.authorizationcode': 'revoked by those who may',
  'svc_outposts.outpostserviceconnection': 'where outposts run',
  'svc_outposts.containerserviceconnection': 'where outposts run',
  'svc_outposts.clusterserviceconnection': 'where outposts run',
  'svc_outposts.outpost': 'asks for change on the providers that it lists',
  'svc_stages_authenticator_webauthn.webauthndevicetype': 'only read',
  'svc_stages_invitation.invitation': 'for people who have no account yet',
  'svc_sources_scim.scimsourceuser': 'asks for change on both ends, and for all that the user holds',
  'svc_sources_scim.scimsourcegroup': 'asks for change on both ends, and for all that the group brings',
  'svc_core.usersourceconnection': 'undone by its owner alone',
  'svc_events.event': 'what has happened',
  'svc_events.notificationrule': 'who is told of events',
  'svc_events.notificationtransport': 'how people are told of events',
  'svc_events.notification': 'their owner’s alone',
  'svc_events.systemtask': 'work that the server does anyway',
};
const isOwnOrLink = ({ visibility, model }: Resource) =>
  visibility?.by === 'superuser' || /device$|sourceconnection$/.test(model);

// Tests are named after the rights before any server runs.
const { rights, catalogue } = await listRights();
async function listRights() {
  const { world, app, close } = await startServer('sqlite');
  const { rows } = await sql<{
    app: string;
    codename: string;
    model: string;
  }>`select app_label as app, codename, model from permissions order by 1`.execute(world.db.read);
  await close();
  return { rights: rows, catalogue: app.engine.registry.resources };
}

const opened: Record<string, (operation: Operation, isVerb: boolean) => boolean> = {
  view: ({ method }) => method === 'GET',
  add: ({ method }) => method === 'POST',
  change: ({ method }) => method !== 'GET' && method !== 'DELETE',
  delete: ({ method }) => method === 'DELETE',
};

describeOnSqlite('one permission cannot be used to gain more', (server) => {
  let ground: Ground | undefined;
  let probe: Probe;
  let stronger: TestUser;
  let admin: number;
  let superusers: string;
  const here = () => ground as Ground;
  beforeAll(async () => {
    ground = await prepareGround(server());
    probe = await createProbe(server());
    stronger = await server().user(['svc_core.view_user', 'svc_core.change_group', 'svc_events.view_event'], {
      email: 'stronger@example.com',
    });
    admin = (await server().admin.get('/core/users/me/')).body.user.pk;
    superusers = (await server().admin.get('/core/groups/?name=Gatehouse+Admins')).body.results[0].pk;
  });

  test.each(rights.map(({ app, codename, model }) => [`${app}.${codename}`, `${app}.${model}`] as const))(
    '%s',
    async (right, model) => {
      const attacks = await attacksFor(right, model);
      const view = viewOf(model);
      await probe.holds(right, ...(view ? [view] : []));
      await checkGainsNothing(attacks, [right, ...(view ? [view] : [])]);
    },
  );

  const reachingModels = [
    ...new Set(catalogue.filter(({ reaches }) => reaches).map(({ model }) => model)),
    'svc_policies.policybinding',
  ];
  const allRightsOn = (model: string) => {
    const [app, name] = model.split('.');
    return ['view', 'add', 'change', 'delete'].map((verb) => `${app}.${verb}_${name}`);
  };
  const allAttacksOn = async (model: string) =>
    (await Promise.all(allRightsOn(model).map((right) => attacksFor(right, model)))).flat();

  test.each(reachingModels)('all rights on %s together', async (model) => {
    const attacks = await allAttacksOn(model);
    await probe.holds(...allRightsOn(model));
    await checkGainsNothing(attacks, allRightsOn(model));
  });

  test('all rights on everything that decides how users sign in', async () => {
    const attacks = [];
    for (const model of reachingModels) attacks.push(...(await allAttacksOn(model)));
    const held = reachingModels.flatMap(allRightsOn);
    await probe.holds(...held);
    await checkGainsNothing(attacks, held);
  });

  async function checkGainsNothing(attacks: readonly PreparedRequest[], rights: readonly string[]): Promise<void> {
    const before = await whatDecides();
    for (const { method, path, body } of attacks) await probe.api.send(method, path, body);
    const after = await whatDecides(before.keys);
    expect(after.found).toEqual(before.found);
    // Nothing else is in use now where users sign in.
    expect((await whatDecides()).keys.filter((key) => !before.keys.includes(key))).toEqual([]);
    const { user } = (await probe.api.get('/core/users/me/')).body;
    expect([user.pk, user.is_superuser]).toEqual([probe.pk, false]);
    const held = await heldBy(probe.pk);
    expect(held.filter((name) => !rights.includes(name) && name !== 'svc_core.view_token_key')).toEqual([]);
  }

  test('each resource declares what it reaches, or is listed with a reason why it reaches no user', () => {
    const { resources } = server().app.engine.registry;
    const silent = resources.filter((resource) => !resource.reaches && !isOwnOrLink(resource));
    expect(silent.map(({ model }) => model).filter((model) => !reachesNobody[model])).toEqual([]);
    const known = new Set(resources.map(({ model }) => model));
    expect(Object.keys(reachesNobody).filter((model) => !known.has(model))).toEqual([]);
  });

  test('the OpenAPI document says which operations are for superusers', async () => {
    const { paths } = (await server().nobody.get('/schema/')).body;
    expect(paths['/flows/instances/{slug}/'].patch).toMatchObject({
      'x-reaches': 'sign-in',
      description: expect.stringContaining('Only superusers'),
    });
    expect(paths['/flows/instances/{slug}/'].get['x-reaches']).toBeUndefined();
  });

  const resourcesOf = (model: string) =>
    server().app.engine.registry.resources.filter((resource) => resource.model === model);

  function viewOf(model: string): string | null {
    const [resource] = resourcesOf(model);
    return resource ? resource.permission('view') : null;
  }

  /** Requests that the right may open, aimed at those who hold more where they are about a user. */
  async function attacksFor(right: string, model: string): Promise<PreparedRequest[]> {
    const verb = /\.(view|add|change|delete)_/.exec(right)?.[1] ?? '';
    const isOpened = opened[verb] ?? (() => true);
    const prefixes = resourcesOf(model).map(({ path }) => path);
    if (model.endsWith('.systempermission')) prefixes.push('/admin/', '/rbac/permissions/assigned');
    const operations = server().app.operations.filter(
      (operation) =>
        prefixes.some((prefix) => operation.path.startsWith(prefix)) &&
        isOpened(operation, true) &&
        !operationHints[operation.id]?.undrivable,
    );
    const requests: PreparedRequest[] = [];
    for (const operation of operations) requests.push(...(await aimed(await prepareRequest(here(), operation), model)));
    return requests;
  }

  async function aimed(request: PreparedRequest, model: string): Promise<PreparedRequest[]> {
    const { method, path, body } = request;
    const at = (prefix: string, keys: readonly (string | number)[], bodies: readonly object[]) => {
      const [, rest] = new RegExp(`^${prefix}[^/]+/(.*)$`).exec(path) ?? [];
      const targets = rest === undefined ? [path] : keys.map((key) => `${prefix}${key}/${rest}`);
      const sent =
        method === 'GET' || method === 'DELETE'
          ? [body]
          : [body, ...bodies.map((one) => ({ ...Object(body), ...one }))];
      return targets.flatMap((target) => sent.map((one) => ({ method, path: target, body: one })));
    };
    if (model === 'svc_core.user')
      return at(
        '/core/users/',
        [admin, stronger.pk],
        [{ email: 'mine@example.com' }, { groups: [superusers] }, { password: 'mine now, all of it' }],
      );
    if (model === 'svc_core.group')
      return at(
        '/core/groups/',
        [superusers],
        [{ is_superuser: true, users: [probe.pk] }, { pk: probe.pk }, { parent: superusers }],
      );
    if (model === 'svc_core.token') return at('/core/tokens/', ['gatehouse-bootstrap-token'], [{ user: admin }]);
    return [request];
  }

  /**
   * What users sign in through, followed from brands, enabled flows and sources to all that they use, and the accounts
   * of those who hold more. Given the keys of an earlier look, the same objects again.
   */
  async function whatDecides(again?: readonly string[]) {
    const { db } = server().world;
    const used = again ? groupKeys(again) : await inUse();
    const found: Record<string, unknown> = {};
    for (const [model, keys] of used) {
      const resource = server().app.engine.registry.require(model);
      const joins = Object.values(resource.allFields).flatMap(({ storage }) =>
        storage.in === 'join' ? [storage.join] : [],
      );
      const tables = [
        { table: resource.table, own: 'pk', other: 'pk' },
        ...(resource.family ? [{ table: resource.family.table, own: 'pk', other: 'pk' }] : []),
        ...joins,
      ];
      for (const { table, own, other } of tables) {
        const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}
          where ${sql.ref(own)} in (${sql.join([...keys])}) order by ${sql.ref(own)}, ${sql.ref(other)}`.execute(
          db.read,
        );
        // A picture lets no user in.
        found[`${model} ${table}`] = rows.map((row) => ({ ...row, icon: null, background: null }));
      }
    }
    const victims = sql.join([admin, stronger.pk]);
    found.accounts = (
      await sql`select pk, username, email, password, is_active, type, attributes from users
      where pk in (${victims}) order by pk`.execute(db.read)
    ).rows;
    for (const table of [
      'tokens',
      'authenticated_sessions',
      'devices',
      'user_source_connections',
      'flow_links',
      'user_permissions',
    ])
      found[`their ${table}`] = (
        await sql`select * from ${sql.table(table)} where "user" in (${victims}) order by 1`.execute(db.read)
      ).rows;
    found.superusers = (
      await sql`select "user" from user_groups where "group" = ${superusers} order by 1`.execute(db.read)
    ).rows;
    const { default_token_length, default_token_duration } = (await server().admin.get('/admin/settings/')).body;
    found.settings = { default_token_length, default_token_duration };
    return { found, keys: [...used].flatMap(([model, keys]) => [...keys].map((key) => `${model} ${key}`)) };
  }

  function groupKeys(keys: readonly string[]): Map<string, Set<string>> {
    const grouped = new Map<string, Set<string>>();
    for (const [model = '', key = ''] of keys.map((one) => one.split(' ')))
      grouped.set(model, (grouped.get(model) ?? new Set()).add(key));
    return grouped;
  }

  /** The keys of objects by model: from where users sign in, down along references and to the parts of each. */
  async function inUse(): Promise<Map<string, Set<string>>> {
    const { registry } = server().app.engine;
    const { read } = server().world.db;
    const used = new Map<string, Set<string>>();
    const queue = new Map<Resource, string[]>();
    const add = (resource: Resource, keys: readonly unknown[]) => {
      const known = used.get(resource.model) ?? new Set<string>();
      used.set(resource.model, known);
      const fresh = [...new Set(keys.map(String))].filter((one) => !known.has(one));
      for (const key of fresh) known.add(key);
      if (fresh.length > 0) queue.set(resource, [...(queue.get(resource) ?? []), ...fresh]);
    };
    const keysOf = async (query: ReturnType<typeof sql>) =>
      (await sql<{ pk: unknown }>`${query}`.execute(read)).rows.flatMap(({ pk }) => pk ?? []);
    /** Adds objects of a family as what they are. */
    const addAs = async (model: string, keys: readonly unknown[]) => {
      const target = registry.require(model);
      if (keys.length === 0) return;
      if (registry.kinds(model).length === 0) return add(target, keys);
      const { rows } = await sql<{ pk: unknown; kind: string }>`select pk, kind from ${sql.table(target.table)}
        where pk in (${sql.join(keys)})`.execute(read);
      for (const [kind, found] of Map.groupBy(rows, (row) => row.kind))
        add(
          registry.require(kind),
          found.map(({ pk }) => pk),
        );
    };
    for (const [model, where] of [
      ['svc_brands.brand', sql`1 = 1`],
      ['svc_flows.flow', sql`t.enabled`],
      ['svc_crypto.certificatekeypair', sql`t.managed is not null`],
    ] as const) {
      const resource = registry.require(model);
      add(resource, await keysOf(sql`select ${resource.row().col('pk')} as pk from ${resource.from()} where ${where}`));
    }
    await addAs('svc_core.source', await keysOf(sql`select pk from sources where enabled`));
    const bindings = registry.require('svc_policies.policybinding');
    for (let [next] = queue; next; [next] = queue) {
      const [resource, keys] = next;
      queue.delete(resource);
      const row = resource.row();
      const named = sql.join(keys);
      for (const [name, field] of Object.entries(resource.allFields)) {
        const { storage } = field;
        if (!isRef(field) || field.partOf || !registry.find(field.model)?.reaches) continue;
        const query =
          storage.in === 'join'
            ? sql`select ${sql.ref(storage.join.other)} as pk from ${sql.table(storage.join.table)}
                where ${sql.ref(storage.join.own)} in (${named})`
            : sql`select ${row.col(name)} as pk from ${resource.from()} where ${row.col('pk')} in (${named})`;
        await addAs(field.model, await keysOf(query));
      }
      if (resource.target)
        add(
          bindings,
          await keysOf(
            sql`select pk from policy_bindings where target in
              (select ${row.col(resource.target)} from ${resource.from()} where ${row.col('pk')} in (${named}))`,
          ),
        );
      for (const part of registry.resources)
        for (const [name, field] of Object.entries(part.allFields))
          if (isRef(field) && field.partOf && part.reaches && field.model === resource.model)
            add(part, await keysOf(sql`select pk from ${sql.table(part.table)} where ${sql.ref(name)} in (${named})`));
    }
    return used;
  }

  async function heldBy(user: number): Promise<string[]> {
    const { rows } = await sql<{ name: string }>`select p.app_label || '.' || p.codename as name from permissions p
      where p.pk in (select permission from user_permissions where "user" = ${user}
        union select permission from user_object_permissions where "user" = ${user}
        union select rp.permission from role_permissions rp join group_roles gr on gr.role = rp.role
          join user_groups ug on ug."group" = gr."group" where ug."user" = ${user})`.execute(server().world.db.read);
    return rows.map(({ name }) => name);
  }
});
