import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventsDuring } from '../support/events.ts';

import { atFactor, makeFactorFlow } from '../support/factor-walk.ts';
import { ldapPorts, makeDirectory } from '../support/ldap-directory.ts';
import { findLdapTools } from '../support/ldap-tools.ts';
import { made, makeWalk, unique } from '../support/make-walk.ts';
import { password, personWithPassword } from '../support/second-factor.ts';
import { describeOnSqlite, type TestUser } from '../support/server.ts';
import {
  json,
  loopbackAllowed,
  type Service,
  type ServiceAnswer,
  type ServiceRequest,
  startService,
} from '../support/service.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';

const hasTools = await findLdapTools();
const component = 'xak-stage-authenticator-twofactor';
const done = { component: 'xak-flow-redirect', to: '/if/user/' };
const secrets = { client_secret: 'the-secret-of-the-application', admin_secret_key: 'the-secret-for-administration' };
const path = '/stages/authenticator/twofactor/';
let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const settings = (values: object = {}) => ({
  client_id: 'application',
  api_hostname: service.url,
  admin_integration_key: 'administration',
  ...secrets,
  ...values,
});
const ok = (response: unknown, more: object = {}) => json({ stat: 'OK', response, ...more });
const parametersOf = ({ method, path, body }: ServiceRequest) =>
  Object.fromEntries(new URLSearchParams(method === 'GET' ? path.split('?')[1] : body));

/** Whether a request is signed as the service wants it. */
function isSigned({ method, path, headers, body }: ServiceRequest, integration: string, secret: string): boolean {
  const [where, query = ''] = path.split('?');
  const lines = [headers.date, method, headers.host, where, method === 'GET' ? query : body].join('\n');
  const signature = createHmac('sha1', secret).update(lines).digest('hex');
  return headers.authorization === `Basic ${btoa(`${integration}:${signature}`)}`;
}

const activation = (user_id: string) => ({
  user_id,
  username: 'x',
  activation_barcode: 'https://barcodes.example.com/1.png',
  activation_code: 'duo://activate',
});

describeOnSqlite(
  'push devices',
  (server) => {
    const person = () => personWithPassword(server());
    const setUpFlow = (values: object = {}) => makeWalk(server(), [['authenticator/twofactor', settings(values)]]);
    const answering = (answers: Readonly<Record<string, () => ServiceAnswer>>) => {
      service.requests.length = 0;
      service.answer = (request) => (answers[request.path.split('?')[0] ?? ''] ?? (() => json({}, 404)))();
    };
    const enrolled = async (user_id = unique('service-user')) => {
      const user = await person();
      const { slug, stages } = await setUpFlow();
      const browser = await signedInBrowser(server(), user.pk);
      answering({ '/auth/v2/enroll': () => ok(activation(user_id)), '/auth/v2/enroll_status': () => ok('success') });
      await browser.show(slug);
      expect((await browser.answer(slug, { component })).body).toEqual(done);
      return { user, user_id, stage: stages[0] as string };
    };
    const signInFlow = () => makeFactorFlow(server(), 'twofactor');
    const atPhone = async (flow: string, user: TestUser) => {
      const { offered, ...at } = await atFactor(server(), flow, user);
      return { ...at, device: Number(offered?.device_uid) };
    };
    const devicesOf = async ({ api }: TestUser) => (await api.get('/authenticators/twofactor/')).body.results;

    test('are activated at the service, and stored once it confirms', async () => {
      const user = await person();
      const { slug, stages } = await setUpFlow();
      const browser = await signedInBrowser(server(), user.pk);
      let status = 'waiting';
      answering({ '/auth/v2/enroll': () => ok(activation('U1')), '/auth/v2/enroll_status': () => ok(status) });
      const shown = await browser.show(slug);
      expect(shown.body).toMatchObject({
        component,
        pending_user: user.username,
        activation_barcode: 'https://barcodes.example.com/1.png',
        activation_code: 'duo://activate',
        stage_uuid: stages[0],
      });
      const asked = service.requests[0] as ServiceRequest;
      expect(isSigned(asked, 'application', secrets.client_secret)).toBe(true);
      expect(parametersOf(asked)).toMatchObject({ username: user.username });
      const waiting = await browser.answer(slug, { component });
      expect(waiting.body.response_errors.non_field_errors[0].string).toBe('Your phone is not activated yet.');
      expect(parametersOf(service.requests.at(-1) as ServiceRequest)).toEqual({
        user_id: 'U1',
        activation_code: 'duo://activate',
      });
      const poll = () => browser.post(`${path}${stages[0]}/enrollment_status/`);
      expect((await poll()).body).toEqual({ twofactor_response: 'waiting' });
      // The service makes an account but once: a new walk goes on with it.
      const again = await signedInBrowser(server(), user.pk);
      await again.show(slug);
      expect(service.requests.filter((request) => request.path === '/auth/v2/enroll')).toHaveLength(1);
      status = 'success';
      expect((await poll()).body).toEqual({ twofactor_response: 'success' });
      expect(await devicesOf(user)).toEqual([]);
      const events = await eventsDuring(server(), async () => {
        expect((await browser.answer(slug, { component })).body).toEqual(done);
      });
      expect(events.map(({ action }) => action)).toEqual(['model_created']);
      expect(await devicesOf(user)).toEqual([{ pk: expect.any(Number), name: 'Twofactor Authenticator' }]);
      expect((await poll()).body).toEqual({ twofactor_response: 'invalid' });
    });

    test('show the state of an activation to its owner alone', async () => {
      const user = await person();
      const { slug, stages } = await setUpFlow();
      answering({ '/auth/v2/enroll': () => ok(activation('U2')), '/auth/v2/enroll_status': () => ok('success') });
      await (await signedInBrowser(server(), user.pk)).show(slug);
      const where = `${path}${stages[0]}/enrollment_status/`;
      expect((await server().nobody.post(where)).status).toBe(403);
      expect((await server().admin.post(where)).body).toEqual({ twofactor_response: 'invalid' });
      expect((await server().admin.post(`${path}nonsense/enrollment_status/`)).status).toBe(404);
      expect((await user.api.post(where)).body).toEqual({ twofactor_response: 'success' });
    });

    test('restart the setup when the service no longer knows the activation', async () => {
      const user = await person();
      const { slug } = await setUpFlow();
      const browser = await signedInBrowser(server(), user.pk);
      answering({ '/auth/v2/enroll': () => ok(activation('U3')), '/auth/v2/enroll_status': () => ok('invalid') });
      await browser.show(slug);
      const { body } = await browser.answer(slug, { component });
      expect(body.response_errors.non_field_errors[0].string).toBe('The activation has expired. Please start again.');
      expect(service.requests.filter((request) => request.path === '/auth/v2/enroll')).toHaveLength(2);
      expect((await browser.answer(slug, {})).body.response_errors).toBeUndefined();
    });

    test('are not those that a user began to set up who knew an old password', async () => {
      const user = await person();
      const { slug } = await setUpFlow();
      const begin = async () => (await (await signedInBrowser(server(), user.pk)).show(slug)).body;
      answering({ '/auth/v2/enroll': () => ok(activation('U4')), '/auth/v2/enroll_status': () => ok('success') });
      expect((await begin()).component).toBe(component);
      await server().admin.post(`/core/users/${user.pk}/set_password/`, { password: 'a new horse' });
      // The service has a user of this name, whom only its administrators remove.
      answering({ '/auth/v2/enroll': () => json({ stat: 'FAIL', message: 'Invalid request parameters' }, 400) });
      expect((await begin()).component).toBe('xak-stage-access-denied');
      expect(await devicesOf(user)).toEqual([]);
      answering({ '/auth/v2/enroll': () => ok(activation('U5')) });
      expect((await begin()).component).toBe(component);
    });

    test('prompt their owner on the phone at sign-in', async () => {
      const { user, user_id } = await enrolled();
      const flow = await signInFlow();
      const { browser, body, device } = await atPhone(flow, user);
      expect(body.device_challenges).toMatchObject([{ device_class: 'twofactor', challenge: {} }]);
      answering({ '/auth/v2/auth': () => ok({ result: 'deny', status: 'deny', status_msg: 'no' }) });
      const refused = await browser.answer(flow, { twofactor: device });
      expect(refused.body.response_errors.twofactor[0].string).toBe('The request was denied on your phone.');
      expect(parametersOf(service.requests[0] as ServiceRequest)).toEqual({
        user_id,
        factor: 'auto',
        device: 'auto',
        ipaddr: '127.0.0.1',
      });
      answering({ '/auth/v2/auth': () => ok({ result: 'allow', status: 'allow', status_msg: 'yes' }) });
      const foreign = await browser.answer(flow, { twofactor: device + 1_000 });
      expect(foreign.body.response_errors.twofactor[0].string).toBe('Invalid device');
      expect(service.requests).toHaveLength(0);
      expect((await browser.answer(flow, { twofactor: device })).body).toEqual(done);
      expect((await browser.get('/core/users/me/')).body.user.pk).toBe(user.pk);
    });

    test.runIf(hasTools)('are asked when their owner binds by LDAP', async () => {
      const { user, user_id } = await enrolled();
      const authorization_flow = (await server().admin.get(`/flows/instances/${await signInFlow()}/`)).body.pk;
      const directory = await makeDirectory(server(), { authorization_flow });
      const bind = async (given: string) => (await directory.whoami(directory.dnOf(user.username), given)).code;
      answering({ '/auth/v2/auth': () => ok({ result: 'deny', status: 'deny', status_msg: 'no' }) });
      expect([await bind('wrong'), service.requests.length]).toEqual([49, 0]);
      expect(await bind(password)).toBe(49);
      expect(parametersOf(service.requests[0] as ServiceRequest)).toMatchObject({ user_id, ipaddr: '127.0.0.1' });
      answering({ '/auth/v2/auth': () => ok({ result: 'allow', status: 'allow', status_msg: 'yes' }) });
      expect(await bind(password)).toBe(0);
      // Nobody has to send a code: a semicolon is part of the password.
      await server().admin.post(`/core/users/${user.pk}/set_password/`, { password: 'half a password;123456' });
      expect(await bind('half a password;123456')).toBe(0);
      await directory.change({ mfa_support: false });
      service.requests.length = 0;
      expect([await bind('half a password;123456'), service.requests.length]).toEqual([49, 0]);
    });

    test('are not asked for another person', async () => {
      const [mine, theirs] = [await enrolled(), await enrolled()];
      const flow = await signInFlow();
      const { device } = await atPhone(flow, theirs.user);
      const { browser } = await atPhone(flow, mine.user);
      answering({ '/auth/v2/auth': () => ok({ result: 'allow' }) });
      const { body } = await browser.answer(flow, { twofactor: device });
      expect(body.response_errors.twofactor[0].string).toBe('Invalid device');
      expect(service.requests).toHaveLength(0);
    });

    const troubles: readonly (readonly [string, () => ServiceAnswer])[] = [
      ['fails', () => json({ stat: 'FAIL', message: 'Internal error' }, 500)],
      ['does not know us', () => json({ stat: 'FAIL', code: 40_103, message: 'Invalid signature' }, 401)],
      ['says yes with the wrong number', () => json({ stat: 'OK', response: { result: 'allow' } }, 500)],
      ['says yes and fails', () => json({ stat: 'FAIL', response: { result: 'allow' } })],
      ['says something else', () => ok({ result: 'maybe' })],
      ['is malformed', () => ({ body: 'allow' })],
      ['answers with nothing', () => ok(null)],
      ['is cut off', () => 'cut'],
    ];

    test.each(troubles)('let no user pass when the service %s', async (_, answerOf) => {
      const { user } = await enrolled();
      const flow = await signInFlow();
      const { browser, device } = await atPhone(flow, user);
      answering({ '/auth/v2/auth': answerOf });
      const events = await eventsDuring(server(), async () => {
        const { status, body } = await browser.answer(flow, { twofactor: device });
        expect(status).toBe(200);
        expect(body.response_errors.twofactor[0].string).toContain('Your phone could not be reached');
      });
      expect(events.map(({ action }) => action).sort()).toEqual(['configuration_error', 'login_failed']);
      for (const secret of Object.values(secrets)) expect(JSON.stringify(events)).not.toContain(secret);
      const { slug } = await setUpFlow();
      answering({ '/auth/v2/enroll': answerOf });
      const denied = await (await signedInBrowser(server(), (await person()).pk)).show(slug);
      expect(denied.body.error_message).toBe('This cannot be set up at the moment. Please try again later.');
    });

    test('are imported one by one by callers who may add devices', async () => {
      const { pk } = await made(server(), path, { name: unique('stage'), ...settings() });
      const user = await person();
      const where = `${path}${pk}/import_device_manual/`;
      const body = { twofactor_user_id: 'U9', username: user.username };
      expect((await server().nobody.post(where, body)).status).toBe(403);
      const viewer = await server().user(['svc_stages_authenticator_twofactor.view_authenticatortwofactorstage']);
      expect((await viewer.api.post(where, body)).status).toBe(403);
      expect((await server().admin.post(where, { ...body, username: 'nobody-at-all' })).body).toEqual({
        username: ['User does not exist.'],
      });
      expect((await server().admin.post(where, {})).status).toBe(400);
      const importer = await server().user([
        'svc_stages_authenticator_twofactor.view_authenticatortwofactorstage',
        'svc_stages_authenticator_twofactor.add_twofactordevice',
      ]);
      expect((await importer.api.post(where, { ...body, username: 'admin' })).status).toBe(403);
      const events = await eventsDuring(server(), async () => {
        expect((await importer.api.post(where, body)).status).toBe(204);
      });
      expect(events.map(({ action }) => action)).toEqual(['model_created']);
      expect((await server().admin.post(where, body)).body).toEqual({ twofactor_user_id: ['Device exists already.'] });
      expect(await devicesOf(user)).toHaveLength(1);
      const { browser, device } = await atPhone(await signInFlow(), user);
      expect(device).toBe((await devicesOf(user))[0].pk);
      expect(await (await browser.get('/core/users/me/')).status).toBe(403);
    });

    test('are imported for all users by name, page by page', async () => {
      const { pk } = await made(server(), path, { name: unique('stage'), ...settings() });
      const [one, two] = [await person(), await person()];
      const pages: Record<string, ServiceAnswer> = {
        0: ok([{ user_id: 'A', username: one.username.toUpperCase() }, { user_id: 'B' }, null], {
          metadata: { next_offset: 300 },
        }),
        300: ok([
          { user_id: 'C', username: two.username },
          { user_id: 'D', username: 'nobody-at-all' },
        ]),
      };
      service.requests.length = 0;
      service.answer = (request) => pages[parametersOf(request).offset ?? ''] ?? json({}, 404);
      const where = `${path}${pk}/import_devices_automatic/`;
      const answer = await server().admin.post(where);
      expect([answer.status, answer.body]).toEqual([200, { count: 2, error: '' }]);
      expect(service.requests.every((request) => isSigned(request, 'administration', secrets.admin_secret_key))).toBe(
        true,
      );
      expect(await devicesOf(one)).toMatchObject([{ name: 'Imported Twofactor Authenticator' }]);
      expect((await server().admin.post(where)).body).toEqual({ count: 0, error: '' });
      expect((await (await server().user()).api.post(where)).status).toBe(403);
      service.answer = () => json({ stat: 'FAIL', message: 'Access forbidden' }, 403);
      const failed = await server().admin.post(where);
      expect([failed.status, failed.body.count]).toEqual([400, 0]);
      expect(failed.body.error).toContain('Access forbidden');
      const without = await made(server(), path, { name: unique('stage'), ...settings({ admin_secret_key: '' }) });
      expect((await server().admin.post(`${path}${without.pk}/import_devices_automatic/`)).status).toBe(400);
    });

    test('accept only a host as the address of the service, and never show secrets', async () => {
      for (const api_hostname of [
        'a b',
        'https://x.example.com/path',
        'ftp://x.example.com',
        'https://u:p@x.example.com',
      ]) {
        const { body } = await server().admin.post(path, { name: unique('stage'), ...settings({ api_hostname }) });
        expect(body, api_hostname).toEqual({ api_hostname: ['Enter the name of a host.'] });
      }
      const stage = await made(server(), path, {
        name: unique('stage'),
        ...settings({ api_hostname: 'api.example.com' }),
      });
      expect(stage).not.toHaveProperty('client_secret');
      expect(stage).not.toHaveProperty('admin_secret_key');
    });
  },
  { env: { ...loopbackAllowed, ...ldapPorts } },
);
