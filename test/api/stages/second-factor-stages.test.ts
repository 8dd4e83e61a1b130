import { expect, test } from 'vitest';
import { made, unique } from '../../support/make-walk.ts';
import { describeOnBoth } from '../../support/server.ts';

const stages = '/stages/authenticator';
const unknown = '11111111-1111-4111-8111-111111111111';

describeOnBoth('stages around second factors', (server) => {
  test('have the defaults of the interface', async () => {
    const name = unique('stage');
    const totp = await made(server(), `${stages}/totp/`, { name: `${name} a`, digits: '6' });
    expect(totp).toMatchObject({
      digits: '6',
      configure_flow: null,
      friendly_name: null,
      flow_set: [],
      component: 'xak-stage-authenticator-totp-form',
      verbose_name: 'TOTP Authenticator Setup Stage',
      meta_model_name: 'svc_stages_authenticator_totp.authenticatortotpstage',
    });
    const list = await made(server(), `${stages}/static/`, { name: `${name} b` });
    expect(list).toMatchObject({ token_count: 6, token_length: 12, component: 'xak-stage-authenticator-static-form' });
    const validate = await made(server(), `${stages}/validate/`, { name: `${name} c` });
    expect(validate).toMatchObject({
      not_configured_action: 'skip',
      device_classes: ['static', 'totp', 'webauthn', 'twofactor', 'sms'],
      configuration_stages: [],
      last_auth_threshold: 'seconds=0',
      webauthn_user_verification: 'preferred',
      webauthn_allowed_device_types: [],
      webauthn_allowed_device_types_obj: [],
      component: 'xak-stage-authenticator-validate-form',
    });
  });

  test.each([
    ['totp', { digits: '7' }, 'digits'],
    ['totp', {}, 'digits'],
    ['totp', { digits: '6', configure_flow: unknown }, 'configure_flow'],
    ['static', { token_count: 'many' }, 'token_count'],
    ['static', { configure_flow: 'x' }, 'configure_flow'],
    ['validate', { device_classes: ['totp', 'tea leaves'] }, 'device_classes'],
    ['validate', { device_classes: 'totp' }, 'device_classes'],
    ['validate', { last_auth_threshold: 'soon' }, 'last_auth_threshold'],
    ['validate', { not_configured_action: 'allow' }, 'not_configured_action'],
    ['validate', { webauthn_user_verification: 'maybe' }, 'webauthn_user_verification'],
    ['validate', { configuration_stages: [unknown] }, 'configuration_stages'],
    ['validate', { webauthn_allowed_device_types: [unknown] }, 'webauthn_allowed_device_types'],
  ])('%s refuses %j', async (kind, values, member) => {
    const { status, body } = await server().admin.post(`${stages}/${kind}/`, { name: unique('bad'), ...values });
    expect([status, Object.keys(body)]).toEqual([400, [member]]);
  });

  test('a stage that sets devices up cannot lose the places where', async () => {
    const app = await made(server(), `${stages}/totp/`, { name: unique('app'), digits: '6' });
    const validate = await made(server(), `${stages}/validate/`, {
      name: unique('validate'),
      not_configured_action: 'configure',
      configuration_stages: [app.pk],
    });
    const path = `${stages}/validate/${validate.pk}/`;
    expect((await server().admin.patch(path, { configuration_stages: [] })).status).toBe(400);
    expect((await server().admin.get(path)).body.configuration_stages).toEqual([app.pk]);
    expect((await server().admin.get(`${stages}/totp/${app.pk}/used_by/`)).body).toMatchObject([
      { model_name: 'authenticatorvalidatestage', pk: validate.pk },
    ]);
    const found = await server().admin.get(`${stages}/validate/?configuration_stages=${app.pk}`);
    expect(found.body.results.map(({ pk }: { pk: string }) => pk)).toEqual([validate.pk]);
  });

  test('of a fresh install ask those who have a device, after the password and after a source', async () => {
    const { results } = (await server().admin.get(`${stages}/validate/?name=default-authentication-mfa-validation`))
      .body;
    expect(results[0]).toMatchObject({ not_configured_action: 'skip', last_auth_threshold: 'seconds=0' });
    const flows = results[0].flow_set.map(({ slug }: { slug: string }) => slug);
    expect(flows).toEqual([
      'default-authentication-flow',
      'default-password-change',
      'default-recovery-flow',
      'default-source-authentication',
    ]);
    for (const [kind, values] of [
      ['totp', { friendly_name: 'Authenticator app', digits: '6' }],
      ['static', { friendly_name: 'Recovery codes', token_count: 6 }],
    ] as const) {
      const slug = `default-authenticator-${kind}-setup`;
      const [stage] = (await server().admin.get(`${stages}/${kind}/?name=${slug}`)).body.results;
      const flow = (await server().admin.get(`/flows/instances/${slug}/`)).body;
      expect(stage).toMatchObject({ ...values, configure_flow: flow.pk, flow_set: [{ slug }] });
    }
  });
});
