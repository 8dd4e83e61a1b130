import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { Operation } from '../../src/resource/operation.ts';
import type { Resource } from '../../src/resource/resource.ts';
import { type PreparedRequest, prepareRequest } from '../contract/drive.ts';
import { type Ground, prepareGround } from '../contract/every-resource.ts';
import { operationHints } from '../contract/hints.ts';
import { createProbe, type Probe } from '../contract/probe.ts';
import { describeOnSqlite, startServer, type TestUser } from '../support/server.ts';

/**
 * What does not decide how people sign in, and why. A new resource says `reaches: 'sign-in'` or stands here: the attacks
 * below find nothing in what nobody has thought about.
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
  'svc_core.propertymapping': 'its kinds say for themselves',
  'svc_events.notificationwebhookmapping': 'what other systems are told of events',
  'svc_providers_oauth2.scopemapping': 'claims for clients; the scope of the API is for superusers',
  'svc_providers_workspace_directory.workspacedirectoryprovidermapping': 'what another directory is told',
  'svc_providers_scim.scimmapping': 'what another server is told',
  'svc_providers_cloud_directory.clouddirectoryprovidermapping': 'what another directory is told',
  'svc_core.application': 'who uses an application',
  'svc_stages_consent.userconsent': 'undone by its owner alone',
  'svc_core.provider': 'clients; those with the scope of the API are for superusers',
  'svc_providers_oauth2.oauth2provider': 'clients; those with the scope of the API are for superusers',
  'svc_providers_saml.samlprovider': 'service providers elsewhere; this server takes none of its assertions',
  'svc_providers_saml.samlpropertymapping': 'attributes for service providers elsewhere',
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
const rights = await listRights();
async function listRights() {
  const { world, close } = await startServer('sqlite');
  const { rows } = await sql<{
    app: string;
    codename: string;
    model: string;
  }>`select app_label as app, codename, model from permissions order by 1`.execute(world.db.read);
  await close();
  return rows;
}

const opened: Record<string, (operation: Operation, isVerb: boolean) => boolean> = {
  view: ({ method }) => method === 'GET',
  add: ({ method }) => method === 'POST',
  change: ({ method }) => method !== 'GET' && method !== 'DELETE',
  delete: ({ method }) => method === 'DELETE',
};

describeOnSqlite('class 49: one permission cannot be used to gain more', (server) => {
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
      const before = await whatDecides();
      for (const { method, path, body } of attacks) await probe.api.send(method, path, body);
      expect(await whatDecides()).toEqual(before);
      const { user } = (await probe.api.get('/core/users/me/')).body;
      expect([user.pk, user.is_superuser]).toEqual([probe.pk, false]);
      const held = await heldBy(probe.pk);
      expect(held.filter((name) => name !== right && name !== view && name !== 'svc_core.view_token_key')).toEqual([]);
    },
  );

  test('each resource declares what it reaches, or is listed with a reason why it reaches nobody', () => {
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

  /** Requests that the right may open, aimed at those who hold more where they are about somebody. */
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

  /** All that decides how people sign in, and the accounts of those who hold more. */
  async function whatDecides(): Promise<Record<string, unknown>> {
    const { db } = server().world;
    const reaching = server().app.engine.registry.resources.filter(({ reaches }) => reaches);
    const tables = new Set(
      reaching.flatMap(({ table, family, allFields }) => [
        table,
        ...(family ? [family.table] : []),
        ...Object.values(allFields).flatMap(({ storage }) => (storage.in === 'join' ? [storage.join.table] : [])),
      ]),
    );
    const found: Record<string, unknown> = {};
    const kinds = new Set<unknown>(reaching.map(({ model }) => model));
    for (const table of tables) {
      const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)} order by 1`.execute(
        db.read,
      );
      // A family's table also holds kinds that reach nobody; a picture lets nobody in.
      found[table] = rows
        .filter(({ kind }) => kind === undefined || kinds.has(kind))
        .map((row) => ({ ...row, icon: null, background: null }));
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
    return found;
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
