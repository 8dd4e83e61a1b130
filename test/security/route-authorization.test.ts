import { beforeAll, expect, test } from 'vitest';
import type { Operation } from '../../src/resource/document/operation.ts';
import { prepareRequest } from '../contract/drive.ts';
import { type Ground, operationIds, prepareGround } from '../contract/every-resource.ts';
import { operationHints } from '../contract/hints.ts';
import { describeOnSqlite } from '../support/server.ts';

/**
 * What a caller without a single permission may do, and why that is right. A new operation is closed unless it stands
 * here.
 */
const openToAnyone: Readonly<Record<string, string>> = {
  core_users_me_retrieve: 'who they are',
  core_users_impersonate_end_retrieve: 'to be themselves again',
  core_authenticated_sessions_sign_out_everywhere_create: 'the end of their own sessions',
  core_tokens_create: 'a token of their own',
  core_applications_list: 'the applications that policies let them use',
  core_applications_check_access_retrieve: 'whether policies let them use one',
  core_brands_current_retrieve: 'how sign-in pages look',
  authenticators_all_list: 'their own devices',
  sources_all_user_settings_list: 'the sources they may connect to',
  stages_all_user_settings_list: 'what they may set up for themselves',
  stages_authenticator_twofactor_enrollment_status_create: 'how far the activation of their own phone has come',
  sources_oauth_source_types_list: 'fixed facts',
  outposts_instances_default_settings_retrieve: 'fixed facts',
  events_events_actions_list: 'fixed facts',
  events_notifications_mark_all_seen_create: 'their own notifications',
  policies_geoip_iso3166_list: 'fixed facts',
  root_config_retrieve: 'how pages are set up',
  admin_version_retrieve: 'fixed facts',
  admin_apps_list: 'fixed facts',
  admin_models_list: 'fixed facts',
  admin_workers_retrieve: 'a number',
  admin_interface_retrieve: 'what they are and may do themselves',
  admin_overview_retrieve: 'the version, and nothing else without rights',
  admin_maintenance_retrieve: 'the version and their own tokens, and nothing else without rights',
  admin_views_create: 'a view of their own',
  admin_bulk_create: 'each write is refused by itself; bulk-write-authorization.test.ts tries them all',
  admin_objects_list: 'names of what they may see: none',
  admin_page_retrieve: 'a refusal in place of what they may not read',
  schema_retrieve: 'the document that describes the API',
};
/** Operations that no permission grants: their refusal says so. */
const forSuperusers: readonly string[] = [
  'admin_outgoing_release_create',
  'admin_backup_create',
  'admin_server_settings_partial_update',
  'admin_overview_checklist_update',
  'flows_ready_made_list',
  'flows_ready_made_update',
  'flows_switches_retrieve',
  'flows_second_factor_retrieve',
  'flows_second_factor_update',
];
const isForSuperusers = (id: string) => forSuperusers.includes(id) || id.startsWith('authenticators_admin_');
const isListOfTypes = (id: string) => /_all_types_list$/.test(id);

// Strangers share a limit on how often they may call, so each call comes from another network.
let calls = 0;
function elsewhere(): Record<string, string> {
  calls += 1;
  return { 'x-forwarded-for': `10.${calls >> 8}.${calls & 255}.1` };
}

describeOnSqlite(
  'authentication and permissions of every route',
  (server) => {
    let ground: Ground | undefined;
    const here = () => ground as Ground;
    beforeAll(async () => {
      ground = await prepareGround(server());
    });
    const find = (id: string) => server().app.operations.find((operation) => operation.id === id) as Operation;

    /** The resource whose rows everybody has some of their own. */
    const ownRowsOf = ({ path }: Operation) =>
      server().app.engine.registry.resources.find(
        (resource) => path.startsWith(resource.path) && resource.visibility?.by === 'owner',
      );

    test.each(operationIds)('%s is refused to callers without permission', async (id) => {
      const { nobody, probe, stored } = here();
      const operation = find(id);
      const { method, path, body } = await prepareRequest(here(), operation);
      await probe.holds();
      // A first call signs in again where an operation driven before ended the session.
      if (operation.credentials?.includes('API token') === false) await probe.api.send(method, path, body);
      const before = await stored.counts();

      const unknown = await nobody.send(method, path, body, elsewhere());
      if (!operation.anonymous) {
        expect([unknown.status, unknown.body.code]).toEqual([403, 'not_authenticated']);
        const wrong = await nobody.send(method, path, body, {
          ...elsewhere(),
          authorization: 'Bearer no-such-token',
        });
        expect([wrong.status, wrong.body.code]).toEqual([403, 'authentication_failed']);
      }

      const powerless = await probe.api.send(method, path, body);
      if (operation.anonymous && operation.credentials && !operation.credentials.includes('API token')) {
        expect([powerless.status, powerless.body.code]).toEqual([403, 'permission_denied']);
        return;
      }
      const own = ownRowsOf(operation);
      if (openToAnyone[id] || isListOfTypes(id)) {
        expect([powerless.status, powerless.text]).toEqual([operation.answer.status, powerless.text]);
        return;
      }
      if (own && operation.path === own.path && method === 'GET') {
        const { results } = powerless.body as { results: Record<string, unknown>[] };
        const strangers = results.filter((row) => own.visibility?.by === 'owner' && ownerIn(row) !== probe.pk);
        expect(strangers).toEqual([]);
      } else if (own && operation.path !== own.path) expect([403, 404]).toContain(powerless.status);
      else if (operationHints[id]?.undrivable) expect([400, 403, 404]).toContain(powerless.status);
      else if (!operation.anonymous) {
        const detail = isForSuperusers(id) ? 'Only superusers may do this.' : refusal;
        expect([id, powerless.status, powerless.body.detail]).toEqual([id, 403, detail]);
      }
      expect(await stored.counts()).toEqual(before);
    });

    test('every operation listed as open or for superusers exists', () => {
      const listed = [...Object.keys(openToAnyone), ...forSuperusers];
      expect(listed.filter((id) => !operationIds.includes(id))).toEqual([]);
    });

    test('unsupported methods of every path are refused', async () => {
      const filled = ({ path }: Operation) => path.replaceAll(/\{\w+\}/g, 'x');
      const paths = new Set(server().app.operations.map(filled));
      for (const path of paths) {
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
          const { status } = await server().nobody.send(method, path, {}, elsewhere());
          const isOpen = server().app.operations.some(
            (operation) => operation.anonymous && operation.method === method && filled(operation) === path,
          );
          if (!isOpen) expect([method, path, status]).toEqual([method, path, 403]);
        }
      }
    });
  },
  { env: { GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1/32' } },
);

const refusal = 'You do not have permission to perform this action.';
const ownerIn = ({ user }: Record<string, unknown>) =>
  typeof user === 'object' && user !== null ? (user as { pk: unknown }).pk : user;
