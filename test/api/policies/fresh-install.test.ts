import { expect, test } from 'vitest';
import { describeOnBoth } from '../../support/server.ts';

describeOnBoth('policies and notifications of a fresh install', (server) => {
  const namesAt = async (path: string) =>
    (await server().admin.get(path)).body.results.map(({ name }: { name: string }) => name);

  test('there are four rules for the administrators, by mail and in the interface', async () => {
    const { body } = await server().admin.get('/events/rules/');
    expect(body.results.map(({ name }: { name: string }) => name)).toEqual([
      'default-notify-access-request',
      'default-notify-configuration-error',
      'default-notify-exception',
      'default-notify-update',
    ]);
    for (const rule of body.results) {
      const severity = rule.name === 'default-notify-access-request' ? 'notice' : 'alert';
      expect(rule).toMatchObject({ severity, group_obj: { name: 'Gatehouse Admins' } });
      expect(rule.transports).toHaveLength(2);
    }
    expect(await namesAt('/events/transports/')).toEqual(['default-email-transport', 'default-local-transport']);
  });

  test('there are expressions and event matchers, bound to flows, a stage and the rules', async () => {
    expect(await namesAt('/policies/expression/')).toEqual([
      'default-authentication-flow-password-stage',
      'default-oobe-password-usable',
      'default-password-change-if-no-password',
      'default-password-change-if-password',
      'default-recovery-flow-if-on',
      'default-recovery-identification-if-unknown',
      'default-source-authentication-if-sso',
      'default-source-enrollment-if-sso',
      'default-source-enrollment-if-username',
      'default-user-settings-authorization',
    ]);
    for (const kind of ['reputation', 'geoip', 'password_expiry'])
      expect(await namesAt(`/policies/${kind}/`)).toEqual([]);
    const { body } = await server().admin.get('/policies/bindings/');
    const bound = body.results.map(({ policy_obj }: { policy_obj: { name: string } }) => policy_obj.name);
    expect(bound.toSorted()).toEqual([
      'default-authentication-flow-password-stage',
      'default-match-access-request',
      'default-match-configuration-error',
      'default-match-policy-exception',
      'default-match-property-mapping-exception',
      'default-match-update',
      'default-oobe-password-usable',
      'default-password-change-if-no-password',
      'default-password-change-if-password',
      'default-recovery-flow-if-on',
      'default-recovery-identification-if-unknown',
      'default-source-authentication-if-sso',
      'default-source-enrollment-if-sso',
      'default-source-enrollment-if-username',
    ]);
    const flow = await server().admin.get('/flows/instances/default-source-enrollment/');
    expect(body.results.map(({ target }: { target: string }) => target)).toContain(flow.body.pk);
  });

  test('validation policies of a prompt stage count as bound', async () => {
    const name = 'default-user-settings-authorization';
    const { body } = await server().admin.get('/policies/all/?promptstage__isnull=false');
    expect(body.results).toMatchObject([
      { name: 'default-password-policy', bound_to: 4 },
      { name, bound_to: 1 },
    ]);
    const unused = await server().admin.get(`/policies/all/?promptstage__isnull=true&name=${name}`);
    expect(unused.body.results).toEqual([]);
  });

  test.each([
    ['default-authentication-flow-password-stage', {}, true],
    ['default-authentication-flow-password-stage', { auth_method: 'webauthn' }, false],
    ['default-source-authentication-if-sso', { is_sso: true }, true],
    ['default-source-authentication-if-sso', { is_sso: 'yes' }, false],
    ['default-source-enrollment-if-username', { prompt_data: {} }, true],
    ['default-source-enrollment-if-username', { prompt_data: { username: 'ada' } }, false],
    ['default-user-settings-authorization', { prompt_data: { name: 'Another name' } }, true],
    ['default-user-settings-authorization', { prompt_data: { email: 'another@example.org' } }, false],
    ['default-user-settings-authorization', { prompt_data: { username: 'another' } }, false],
  ])('%s with %j gives %s', async (name, context, passing) => {
    const { admin, user } = server();
    const policy = await admin.get(`/policies/expression/?name=${name}`);
    const subject = await user();
    const { body } = await admin.post(`/policies/all/${policy.body.results[0].pk}/test/`, {
      user: subject.pk,
      context,
    });
    expect(body.passing).toBe(passing);
    expect(body.log_messages).toEqual([]);
  });

  test('groups and settings decide which own members users may change', async () => {
    const { admin, user } = server();
    const group = await admin.post('/core/groups/', {
      name: 'may change mail',
      attributes: { 'gatehouse/user/can-change-email': true, 'gatehouse/user/can-change-name': false },
    });
    const subject = await user([], { groups: [group.body.pk] });
    const found = await admin.get('/policies/expression/?name=default-user-settings-authorization');
    const ask = async (prompt_data: unknown) =>
      (
        await admin.post(`/policies/all/${found.body.results[0].pk}/test/`, {
          user: subject.pk,
          context: { prompt_data },
        })
      ).body;
    expect((await ask({ email: 'another@example.org' })).passing).toBe(true);
    expect(await ask({ name: 'Another' })).toMatchObject({ passing: false, messages: ['Not allowed to change name.'] });
  });
});
