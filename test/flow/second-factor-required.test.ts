import { expect, test } from 'vitest';
import { eventsDuring } from '../support/events.ts';
import { openBrowser, signInByPassword, signInFlow } from '../support/flow-client.ts';
import { made, unique } from '../support/make-walk.ts';
import { describeOnBoth } from '../support/server.ts';

const path = '/flows/second_factor/';
const password = 'right horse battery staple';
const done = 'xak-flow-redirect';
const asked = 'xak-stage-authenticator-validate';

describeOnBoth('the switch that requires a second factor', (server) => {
  const person = async (groups: readonly string[] = []) => {
    const user = await server().user([]);
    await server().admin.post(`/core/users/${user.pk}/set_password/`, { password });
    for (const group of groups) await server().admin.post(`/core/groups/${group}/add_user/`, { pk: user.pk });
    return user.username;
  };
  const endOf = async (username: string) =>
    (await signInByPassword(openBrowser(server()), username, password)).body.component;
  const put = async (body: Record<string, unknown>) => {
    const answer = await server().admin.put(path, body);
    expect(answer.status, answer.text).toBe(200);
    expect((await server().admin.get(path)).body).toEqual(answer.body);
    return answer.body;
  };
  const group = async (values = {}) => (await made(server(), '/core/groups/', { name: unique('group'), ...values })).pk;

  test('is off on a fresh install, and asks administrators alone to set one up', async () => {
    const slugs = [signInFlow, 'default-source-authentication'];
    expect((await server().admin.get(path)).body).toMatchObject({ require: 'none', groups: [] });
    const superuser = await person([await group({ is_superuser: true })]);
    const user = await person();
    expect([await endOf(superuser), await endOf(user)]).toEqual([done, done]);
    const trial = await server().admin.put(`${path}?dry_run=true`, { require: 'administrators' });
    expect(trial.body.require).toBe('administrators');
    expect((await server().admin.get(path)).body.require).toBe('none');
    const { places: shown } = await put({ require: 'administrators' });
    expect(shown.map(({ path }: { path: string }) => path)).toEqual(slugs.map((slug) => `/flows/instances/${slug}/`));
    const browser = openBrowser(server());
    const { body } = await signInByPassword(browser, superuser, password);
    expect(body.component).toBe(asked);
    expect(body.configuration_stages.map(({ name }: { name: string }) => name).sort()).toEqual([
      'default-authenticator-totp-setup',
      'default-authenticator-webauthn-setup',
    ]);
    expect((await browser.get('/core/users/me/')).status).toBe(403);
    expect(await endOf(user)).toBe(done);
    for (const slug of slugs) {
      const { steps, findings } = (await server().admin.get(`/flows/instances/${slug}/design/`)).body;
      expect(findings).toEqual([]);
      expect(steps.at(-2).name).toBe('default-second-factor-required');
    }
    expect(await eventsDuring(server(), async () => void (await put({ require: 'administrators' })))).toEqual([]);
    await put({ require: 'none' });
    expect(await endOf(superuser)).toBe(done);
  });

  test('asks members of groups, or everybody', async () => {
    const [one, two] = [await group(), await group()];
    const [member, other, stranger] = [await person([one]), await person([two]), await person()];
    expect((await put({ require: 'groups', groups: [one, two] })).groups).toEqual([one, two].sort());
    expect([await endOf(member), await endOf(other), await endOf(stranger)]).toEqual([asked, asked, done]);
    await put({ require: 'groups', groups: [two] });
    expect([await endOf(member), await endOf(other)]).toEqual([done, asked]);
    const events = await eventsDuring(server(), async () => void (await put({ require: 'everybody' })));
    expect(events.map(({ action }) => action).sort()).toEqual([
      ...Array(2).fill('model_created'),
      ...Array(2).fill('model_deleted'),
    ]);
    expect([await endOf(member), await endOf(stranger)]).toEqual([asked, asked]);
    await put({ require: 'none' });
    expect([await endOf(member), await endOf(stranger)]).toEqual([done, done]);
  });

  test('shows what people changed by hand as custom, and sets it up again', async () => {
    const { admin } = server();
    await put({ require: 'everybody' });
    const { results } = (await admin.get('/stages/authenticator/validate/?name=default-second-factor-required')).body;
    await admin.patch(`/stages/authenticator/validate/${results[0].pk}/`, { not_configured_action: 'skip' });
    expect((await admin.get(path)).body.require).toBe('custom');
    await put({ require: 'everybody' });
    const { steps } = (await admin.get(`/flows/instances/${signInFlow}/design/`)).body;
    await admin.delete(`/flows/bindings/${steps.at(-2).pk}/`);
    expect((await admin.get(path)).body.require).toBe('custom');
    // Another stage took the place before the login stage.
    const stage = (await made(server(), '/stages/dummy/', { name: unique('dummy') })).pk;
    const { target, order } = (await admin.get(`/flows/bindings/${steps.at(-1).pk}/`)).body;
    await made(server(), '/flows/bindings/', { target, stage, order: order - 1 });
    await put({ require: 'everybody' });
    const { steps: after } = (await admin.get(`/flows/instances/${signInFlow}/design/`)).body;
    expect(after.map(({ name }: { name: string }) => name).slice(-3)).toEqual([
      expect.stringContaining('dummy'),
      'default-second-factor-required',
      'default-authentication-login',
    ]);
    await put({ require: 'none' });
  });

  test('is for superusers, and names what is wrong', async () => {
    const { api } = await server().user(['svc_flows.view_flow', 'svc_flows.change_flow']);
    expect([(await api.get(path)).status, (await api.put(path, { require: 'none' })).status]).toEqual([403, 403]);
    const wrong = async (body: Record<string, unknown>) => {
      const { status, body: complaints } = await server().admin.put(path, body);
      return [status, Object.keys(complaints)];
    };
    expect(await wrong({ require: 'custom' })).toEqual([400, ['require']]);
    expect(await wrong({ require: 'groups' })).toEqual([400, ['groups']]);
    expect(await wrong({ require: 'groups', groups: ['00000000-0000-4000-8000-000000000000'] })).toEqual([
      400,
      ['groups'],
    ]);
    expect((await server().admin.get(path)).body.require).toBe('none');
  });
});
