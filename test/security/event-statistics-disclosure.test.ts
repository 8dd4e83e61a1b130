import { expect, test } from 'vitest';
import { grantOn } from '../support/grants.ts';
import { describeOnBoth } from '../support/server.ts';

// Statistics took the name of an application from any event, even one that the caller may not view.
describeOnBoth('figures of events name applications', (server) => {
  test('as those events do that the caller may see', async () => {
    const { admin, user } = server();
    const pk = crypto.randomUUID();
    const authorize = async (name: string) => {
      const context = { authorized_application: { pk, name } };
      return (await admin.post('/events/events/', { action: 'authorize_application', app: 'x', context })).body.pk;
    };
    await authorize('hidden at first');
    const seen = await authorize('Wiki');
    await authorize('hidden at last');
    const viewer = await user();
    await grantOn(server(), viewer.pk, 'svc_events.view_event', seen);

    const { body: top } = await viewer.api.get('/events/events/top_per_user/');
    expect(top).toEqual([{ application: { pk, name: 'Wiki' }, counted_events: 1, unique_users: 1 }]);
    const { body: facets } = await viewer.api.get('/events/events/facets/');
    expect(facets.applications).toMatchObject([{ label: 'Wiki', events: 1 }]);
    const { body: overview } = await viewer.api.get('/admin/overview/');
    expect(overview.top_applications).toEqual([{ name: 'Wiki', slug: '', icon: '', events: 1, users: 1 }]);
  });
});
