import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import { giveCodes, personWithPassword } from '../../support/second-factor.ts';
import { describeOnBoth } from '../../support/server.ts';

const view = 'svc_core.view_user';

describeOnBoth('resetting second factors', (server) => {
  const devicesOf = async (pk: number) => (await server().admin.get(`/authenticators/admin/all/?user=${pk}`)).body;

  test('removes those of one person, with one event', async () => {
    const [dana, eve] = [await personWithPassword(server()), await personWithPassword(server())];
    for (const { username } of [dana, eve]) await giveCodes(server(), username);
    const desk = await server().user([view, 'svc_core.reset_user_second_factors']);
    const events = await eventsDuring(server(), async () => {
      expect((await desk.api.post(`/core/users/${dana.pk}/reset_second_factors/`)).status).toBe(204);
    });
    expect(events).toMatchObject([
      {
        action: 'model_updated',
        context: { model: { pk: dana.pk }, diff: { second_factors: { remove: [expect.any(String)] } } },
      },
    ]);
    expect(await devicesOf(dana.pk)).toEqual([]);
    expect(await devicesOf(eve.pk)).toHaveLength(1);
  });

  test('takes a right of its own: setting passwords is not enough', async () => {
    const dana = await personWithPassword(server());
    await giveCodes(server(), dana.username);
    const desk = await server().user([view, 'svc_core.change_user', 'svc_core.reset_user_password']);
    expect((await desk.api.post(`/core/users/${dana.pk}/reset_second_factors/`)).status).toBe(403);
    expect(await devicesOf(dana.pk)).toHaveLength(1);
  });
});
