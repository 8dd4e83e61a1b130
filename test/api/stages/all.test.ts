import { expect, test } from 'vitest';
import { eventsAbout } from '../../support/events.ts';
import { describeOnBoth } from '../../support/server.ts';

const path = '/stages/all/';

describeOnBoth('stages of every kind', (server) => {
  test('the list shows the kind of each stage', async () => {
    const { body } = await server().admin.get(`${path}?ordering=name`);
    const kinds = body.results.map(({ name, component }: Record<string, string>) => [name, component]);
    expect(kinds).toContainEqual(['default-authenticator-webauthn-setup', 'xak-stage-authenticator-webauthn-form']);
    expect(kinds).toContainEqual(['default-user-settings', 'xak-stage-prompt-form']);
    expect((await server().admin.get(`${path}?name=default-user-settings`)).body.results[0]).toMatchObject({
      verbose_name: 'Prompt Stage',
      verbose_name_plural: 'Prompt Stages',
      meta_model_name: 'svc_stages_prompt.promptstage',
      flow_set: [{ slug: 'default-user-settings-flow' }],
    });
  });

  test.each(['hours=-1', 'seconds=0'])('consent that expires after %s is refused', async (consent_expire_in) => {
    const stage = { name: 'asks always', mode: 'expiring', consent_expire_in };
    const { status, body } = await server().admin.post('/stages/consent/', stage);
    const complaint = { consent_expire_in: ['This must be a length of time above zero.'] };
    expect([status, body]).toEqual([400, complaint]);
  });

  test('types/ lists the kinds that can be created', async () => {
    const { body } = await server().admin.get(`${path}types/`);
    expect(body).toContainEqual({
      name: 'Invitation Stage',
      description: expect.any(String),
      component: 'xak-stage-invitation-form',
      model_name: 'invitationstage',
      icon_url: '',
      requires_enterprise: false,
    });
    expect((await server().nobody.get(`${path}types/`)).status).toBe(403);
  });

  test('a stage can be deleted here with the permission for its kind, unless users sign in through it', async () => {
    const { pk } = (await server().admin.post('/stages/invitation/stages/', { name: 'to delete' })).body;
    const view = 'svc_stages_invitation.view_invitationstage';
    const viewer = await server().user([view]);
    expect((await viewer.api.get(path)).body.results.map(({ name }: { name: string }) => name)).toEqual([
      'default-enrollment-invitation',
      'to delete',
    ]);
    expect((await viewer.api.delete(`${path}${pk}/`)).status).toBe(403);
    const remover = await server().user([view, 'svc_stages_invitation.delete_invitationstage']);
    const signIn = (await server().admin.get('/flows/instances/default-authentication-flow/')).body.pk;
    const bound = { target: signIn, stage: pk, order: 900 };
    const binding = (await server().admin.post('/flows/bindings/', bound)).body.pk;
    expect((await remover.api.delete(`${path}${pk}/`)).status).toBe(403);
    await server().admin.delete(`/flows/bindings/${binding}/`);
    expect((await remover.api.delete(`${path}${pk}/`)).status).toBe(204);
    expect((await server().admin.get(`/stages/invitation/stages/${pk}/`)).status).toBe(404);
    expect((await eventsAbout(server(), pk)).at(-1)).toMatchObject({
      action: 'model_deleted',
      context: { model: { app: 'svc_stages_invitation', model_name: 'invitationstage' } },
    });
  });

  test('the list of all stages is read-only', async () => {
    const { pk } = (await server().admin.post('/stages/invitation/stages/', { name: 'fixed' })).body;
    expect((await server().admin.post(path, { name: 'x' })).status).toBe(405);
    expect((await server().admin.patch(`${path}${pk}/`, { name: 'x' })).status).toBe(405);
    const bound = await server().admin.get(`${path}${pk}/used_by/`);
    expect([bound.status, bound.body]).toEqual([200, []]);
  });
});
