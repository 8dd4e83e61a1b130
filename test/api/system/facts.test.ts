import { expect, test } from 'vitest';
import { systemCall } from '../../../src/app/system-call.ts';
import { addMilliseconds, systemClock } from '../../../src/platform/clock.ts';
import { describeOnBoth } from '../../support/server.ts';

describeOnBoth('facts about the server', (server) => {
  test('anybody may read what it can do', async () => {
    const { status, body } = await server().nobody.get('/root/config/');
    expect(status).toBe(200);
    expect(body.error_reporting.enabled).toBe(false);
    expect(body.capabilities).toEqual(expect.arrayContaining(['can_save_media', 'can_geo_ip']));
    expect(body.capabilities).not.toContain('can_asn');
    expect(body.capabilities).not.toContain('is_enterprise');
    for (const name of ['', '_flows', '_policies', '_reputation']) {
      expect(Number.isInteger(body[`cache_timeout${name}`])).toBe(true);
    }
  });

  test('any signed-in caller reads version, apps, models and workers', async () => {
    const user = await server().user();
    const paths = ['version', 'apps', 'models', 'workers'];
    for (const path of paths) {
      expect([path, (await server().nobody.get(`/admin/${path}/`)).status]).toEqual([path, 403]);
      expect([path, (await user.api.get(`/admin/${path}/`)).status]).toEqual([path, 200]);
    }
    const version = (await user.api.get('/admin/version/')).body;
    expect(version.version_current).toMatch(/^\d+\.\d+\.\d+/);
    expect(version).toMatchObject({ outdated: false, outpost_outdated: false });
    expect((await user.api.get('/admin/workers/')).body).toEqual({ count: 1 });
    expect((await user.api.get('/admin/apps/')).body).toContainEqual({
      name: 'svc.stages.authenticator_webauthn',
      label: 'Stages.Authenticator WebAuthn',
    });
    const models = (await user.api.get('/admin/models/')).body;
    expect(models).toContainEqual({ name: 'svc_flows.flow', label: 'Flow' });
    expect(models.map(({ name }: { name: string }) => name)).not.toContain('svc_flows.stage');
    expect(models).toHaveLength(89);
  });

  test('apps and models are exactly those that event matchers take', async () => {
    const { admin } = server();
    const { body: schema } = await admin.get('/schema/');
    const { app, model } = schema.components.schemas.EventMatcherPolicyRequest.properties;
    const names = async (path: string) => (await admin.get(path)).body.map(({ name }: { name: string }) => name);
    const [apps, models] = [await names('/admin/apps/'), await names('/admin/models/')];
    expect([...apps, null]).toEqual(app.enum);
    expect([...models, null]).toEqual(model.enum);
    for (const [index, name] of models.entries()) {
      const matcher = { name: `about ${name}`, model: name, app: apps[index % apps.length] };
      expect((await admin.post('/policies/event_matcher/?dry_run=true', matcher)).status, name).toBe(201);
    }
  });

  test('the system is shown to who may see it, and no credential with it', async () => {
    const user = await server().user();
    expect((await user.api.get('/admin/system/')).status).toBe(403);
    const operator = await server().user(['svc_rbac.view_system_info']);
    for (const method of ['GET', 'POST']) {
      const { status, body, text } = await operator.api.send(method, '/admin/system/', undefined, {
        cookie: 'gatehouse_session=very-secret',
        'x-gatehouse-csrf': 'csrf-secret',
        'x-api-key': 'key-secret',
        'x-forwarded-proto': 'https',
      });
      expect([method, status]).toEqual([method, 200]);
      expect(text).not.toMatch(/secret/);
      expect(text).not.toContain(operator.token);
      expect(body.http_headers['x-forwarded-proto']).toBe('https');
      expect(body).toMatchObject({
        http_host: new URL(server().url).host,
        // No user is trusted to say so.
        http_is_secure: false,
        brand: 'Brand gatehouse-default',
        embedded_outpost_disabled: true,
        runtime: { architecture: process.arch, platform: process.platform, svc_version: expect.any(String) },
      });
      expect(Math.abs(Date.parse(body.server_time) - Date.now())).toBeLessThan(60_000);
    }
  });

  test('logins are counted by thirds of a day, for who may see the events', async () => {
    const { world, app } = server();
    const add = (action: string, hoursAgo: number) =>
      world.db.write((tx) => {
        const then = addMilliseconds(systemClock.now(), -hoursAgo * 3_600_000);
        const call = systemCall(world.db, app.resourceWorld, then);
        return app.resourceWorld.record(tx, call, { action, app: 'svc_core', context: {} });
      });
    for (const hours of [0, 0, 9, 200]) await add('login', hours);
    await add('login_failed', 17);
    const { body } = await server().admin.get('/admin/metrics/');
    const counts = (name: string) => body[name].map(({ y_cord }: { y_cord: number }) => y_cord);
    expect(body.logins).toHaveLength(21);
    expect(counts('logins').at(-1)).toBe(2);
    expect(counts('logins').at(-2)).toBe(1);
    expect(counts('logins').reduce((sum: number, count: number) => sum + count)).toBe(3);
    expect(counts('logins_failed').at(-3)).toBe(1);
    expect(counts('authorizations').every((count: number) => count === 0)).toBe(true);
    expect(body.logins[20].x_cord - body.logins[19].x_cord).toBe(8 * 3_600_000);
    expect((await (await server().user()).api.get('/admin/metrics/')).status).toBe(403);
    expect((await server().nobody.get('/admin/metrics/')).status).toBe(403);
    const auditor = await server().user(['svc_events.view_event']);
    expect((await auditor.api.get('/admin/metrics/')).body.logins).toEqual(body.logins);
  });
});
