import { expect, test } from 'vitest';
import { unique } from '../../support/make-walk.ts';
import { describeOnBoth } from '../../support/server.ts';

describeOnBoth('the state of what keeps a server running', (server) => {
  test('lists jobs, certificates by their end, tokens, sources and outgoing sync', async () => {
    const { admin } = server();
    const [soon, late, token, name] = [unique('soon'), unique('late'), unique('endless'), unique('push')];
    for (const [common_name, validity_days] of [
      [late, 300],
      [soon, 3],
    ])
      await admin.post('/crypto/certificatekeypairs/generate/', { common_name, validity_days });
    await admin.post('/core/tokens/', { identifier: token, expiring: false });
    await admin.post('/sources/scim/', { name, slug: name, enabled: false });
    const provider = (await admin.post('/providers/scim/', { name, url: 'https://target.example', token: 'x' })).body;
    const { status, body } = await admin.get('/admin/maintenance/');
    expect(status).toBe(200);
    const names = body.certificates.map((one: { name: string }) => one.name);
    expect(names.indexOf(soon)).toBeGreaterThanOrEqual(0);
    expect(names.indexOf(soon)).toBeLessThan(names.indexOf(late));
    expect(body.tokens).toContainEqual(expect.objectContaining({ identifier: token, ends: null }));
    expect(body.sources).toContainEqual(expect.objectContaining({ name, is_enabled: false }));
    expect(body.sync).toContainEqual(
      expect.objectContaining({ pk: provider.pk, is_assigned: false, may_change: true, outstanding: 0, run: null }),
    );
    expect(body.jobs.length).toBeGreaterThan(0);
    const { next_run } = body.jobs.find(({ name }: { name: string }) => name === 'job_cleanup');
    expect(Date.parse(next_run)).toBeGreaterThan(0);
    const run = await admin.post(`/providers/scim/${provider.pk}/sync/run/`);
    expect([run.status, run.text]).toEqual([400, expect.stringContaining('No application uses this provider')]);
  });

  test('says of which lists it returns only a part', async () => {
    const { admin } = server();
    expect((await admin.get('/admin/maintenance/')).body.cut).toEqual([]);
    for (let at = 0; at < 201; at += 1)
      await admin.post('/core/tokens/', { identifier: unique('endless'), expiring: false });
    const { body } = await admin.get('/admin/maintenance/');
    expect([body.tokens.length, body.cut]).toEqual([200, ['tokens']]);
  });

  test('shows a stranger to all of it nothing, and lets no user start a sync without the right to change', async () => {
    const { admin } = server();
    const name = unique('push');
    const provider = (await admin.post('/providers/scim/', { name, url: 'https://target.example', token: 'x' })).body;
    const viewer = await server().user(['svc_providers_scim.view_scimprovider']);
    expect((await viewer.api.post(`/providers/scim/${provider.pk}/sync/run/`)).status).toBe(403);
    const shown = (await viewer.api.get('/admin/maintenance/')).body;
    expect(shown.sync).toContainEqual(expect.objectContaining({ pk: provider.pk, may_change: false }));
    const nobody = await server().user();
    expect((await nobody.api.get('/admin/maintenance/')).body).toMatchObject({
      ...{ health: null, certificates: [], jobs: [], connections: [], sources: [], sync: [] },
    });
  });
});
