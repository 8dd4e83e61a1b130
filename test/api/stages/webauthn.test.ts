import { beforeAll, expect, test } from 'vitest';
import { eventsAbout } from '../../support/events.ts';
import { grantOn } from '../../support/grants.ts';
import { describeOnBoth } from '../../support/server.ts';

const path = '/stages/authenticator/webauthn/';
const types = '/stages/authenticator/webauthn_device_types/';
const yubiKey = 'ee882879-721c-4913-9775-3dfcce97072a';
const windowsHello = '08987058-cadc-4b81-b6e1-30de50dcbe96';
const unknownDevices = '00000000-0000-0000-0000-000000000000';

describeOnBoth('WebAuthn stages', (server) => {
  let flow: string;
  const make = async (name: string, more = {}) => {
    const { status, body } = await server().admin.post(path, { name, ...more });
    expect(status).toBe(201);
    return body;
  };
  const names = async (query: string, api = server().admin) => {
    const { status, body } = await api.get(`${path}?${query}`);
    expect([query, status]).toEqual([query, 200]);
    return body.results.map(({ name }: { name: string }) => name);
  };

  beforeAll(async () => {
    const values = { name: 'f', slug: 'for-webauthn', title: 'F', designation: 'stage_configuration' };
    flow = (await server().admin.post('/flows/instances/', values)).body.pk;
    const strict = { user_verification: 'required', authenticator_attachment: 'platform', friendly_name: 'Key' };
    await make('a', { ...strict, configure_flow: flow, device_type_restrictions: [yubiKey, windowsHello] });
    await make('b', { resident_key_requirement: 'required', device_type_restrictions: [windowsHello] });
  });

  test('a fresh server lists one stage, with the flow that configures it', async () => {
    const { body } = await server().admin.get(`${path}?name=default-authenticator-webauthn-setup`);
    expect(body.pagination).toEqual({
      next: 0,
      previous: 0,
      count: 1,
      current: 1,
      total_pages: 1,
      start_index: 1,
      end_index: 1,
    });
    const [stage] = body.results;
    const setup = (await server().admin.get('/flows/instances/default-authenticator-webauthn-setup/')).body;
    expect(stage).toEqual({
      pk: expect.any(String),
      name: 'default-authenticator-webauthn-setup',
      component: 'xak-stage-authenticator-webauthn-form',
      verbose_name: 'WebAuthn Authenticator Setup Stage',
      verbose_name_plural: 'WebAuthn Authenticator Setup Stages',
      meta_model_name: 'svc_stages_authenticator_webauthn.authenticatorwebauthnstage',
      flow_set: [expect.objectContaining({ pk: setup.pk, slug: setup.slug, export_url: setup.export_url })],
      configure_flow: setup.pk,
      friendly_name: 'Passkey',
      user_verification: 'preferred',
      authenticator_attachment: null,
      resident_key_requirement: 'preferred',
      device_type_restrictions: [],
      device_type_restrictions_obj: [],
    });
  });

  test('restrictions show as keys and as types', async () => {
    const { body } = await server().admin.get(`${path}?name=a`);
    expect(body.results[0].device_type_restrictions.sort()).toEqual([windowsHello, yubiKey]);
    expect(body.results[0].device_type_restrictions_obj).toEqual([
      { aaguid: windowsHello, description: 'Windows Hello' },
      { aaguid: yubiKey, description: 'YubiKey 5 Series' },
    ]);
  });

  test('the list is narrowed by every filter', async () => {
    expect(await names('user_verification=required')).toEqual(['a']);
    expect(await names('authenticator_attachment=platform')).toEqual(['a']);
    expect(await names('authenticator_attachment=cross-platform')).toEqual([]);
    expect(await names('resident_key_requirement=required')).toEqual(['b']);
    expect(await names(`configure_flow=${flow}`)).toEqual(['a']);
    expect(await names('friendly_name=Key')).toEqual(['a']);
    expect(await names('name=b')).toEqual(['b']);
    expect(await names(`device_type_restrictions=${yubiKey}`)).toEqual(['a']);
    expect(await names(`device_type_restrictions=${yubiKey}&device_type_restrictions=${windowsHello}`)).toEqual([
      'a',
      'b',
    ]);
    const { pk } = (await server().admin.get(`${path}?name=b`)).body.results[0];
    expect(await names(`stage_uuid=${pk}`)).toEqual(['b']);
    expect(await names('search=DEFAULT-authenticator')).toEqual(['default-authenticator-webauthn-setup']);
    expect(await names('ordering=-name&page_size=1')).toEqual(['default-authenticator-webauthn-setup']);
  });

  test('bad filters are told, each under its name', async () => {
    const missing = '44444444-4444-4444-4444-444444444444';
    const query = `user_verification=maybe&stage_uuid=x&configure_flow=${missing}&device_type_restrictions=${missing}`;
    const { status, body } = await server().admin.get(`${path}?${query}`);
    expect(status).toBe(400);
    expect(body).toEqual({
      user_verification: [
        expect.stringMatching(
          /^Select a valid choice\. maybe is not one of the available choices\. Valid choices: \w+/,
        ),
      ],
      stage_uuid: ['Enter a valid UUID.'],
      configure_flow: ['Select a valid choice. That choice is not one of the available choices.'],
      device_type_restrictions: [`Select a valid choice. ${missing} is not one of the available choices.`],
    });
    expect((await server().admin.get(`${path}?device_type_restrictions=x`)).body).toEqual({
      device_type_restrictions: ['“x” is not a valid UUID.'],
    });
    expect((await server().admin.get(`${path}?page=7`)).status).toBe(404);
  });

  test('bad stages are refused with every complaint', async () => {
    const { status, body } = await server().admin.post(path, {
      name: 'a',
      user_verification: 'never',
      friendly_name: '',
      authenticator_attachment: 'glue',
      device_type_restrictions: ['55555555-5555-5555-5555-555555555555'],
    });
    expect(status).toBe(400);
    expect(body).toEqual({
      name: ['stage with this name already exists.'],
      user_verification: [expect.stringContaining('"never" is not a valid choice.')],
      friendly_name: ['This field may not be blank.'],
      authenticator_attachment: [expect.stringContaining('"glue" is not a valid choice.')],
      device_type_restrictions: ['Invalid pk "55555555-5555-5555-5555-555555555555" - object does not exist.'],
    });
  });

  test('null unsets what can be unset, and a PUT keeps what it does not name', async () => {
    const made = await make('loosened', { friendly_name: 'K', device_type_restrictions: [yubiKey] });
    const patched = await server().admin.patch(`${path}${made.pk}/`, {
      friendly_name: null,
      authenticator_attachment: null,
    });
    expect(patched.body).toMatchObject({ friendly_name: null, device_type_restrictions: [yubiKey] });
    const put = await server().admin.put(`${path}${made.pk}/`, { name: 'loosened', device_type_restrictions: [] });
    expect(put.body).toMatchObject({ device_type_restrictions: [], device_type_restrictions_obj: [] });
    expect((await eventsAbout(server(), made.pk)).map(({ action }) => action)).toEqual([
      'model_created',
      'model_updated',
      'model_updated',
    ]);
    expect((await server().admin.delete(`${path}${made.pk}/`)).status).toBe(204);
    expect((await server().admin.get(`/stages/all/${made.pk}/`)).status).toBe(404);
  });

  test('stages are visible by permission, on all or on one', async () => {
    expect((await server().nobody.get(path)).status).toBe(403);
    const user = await server().user();
    expect((await user.api.get(path)).status).toBe(403);
    const { pk } = (await server().admin.get(`${path}?name=b`)).body.results[0];
    await grantOn(server(), user.pk, 'svc_stages_authenticator_webauthn.view_authenticatorwebauthnstage', pk);
    expect(await names('', user.api)).toEqual(['b']);
    const viewer = await server().user(['svc_stages_authenticator_webauthn.view_authenticatorwebauthnstage']);
    expect(await names('ordering=name', viewer.api)).toContain('a');
    expect((await viewer.api.post(path, { name: 'mine' })).status).toBe(403);
  });

  test('authenticator models are listed, and are read-only', async () => {
    const { body } = await server().admin.get(`${types}?page_size=2`);
    expect(body.pagination.count).toBeGreaterThan(300);
    expect((await server().admin.get(`${types}${unknownDevices}/`)).body).toEqual({
      aaguid: unknownDevices,
      description: 'Unknown devices',
    });
    const found = (await server().admin.get(`${types}?description=Windows%20Hello&aaguid=${windowsHello}`)).body;
    expect(found.results).toEqual([{ aaguid: windowsHello, description: 'Windows Hello' }]);
    const searched = (await server().admin.get(`${types}?search=ee882879`)).body.results;
    expect(searched).toEqual([{ aaguid: yubiKey, description: 'YubiKey 5 Series' }]);
    expect((await server().admin.delete(`${types}${yubiKey}/`)).status).toBe(405);
    expect((await server().admin.get(`${types}not-a-key/`)).status).toBe(404);
    expect((await (await server().user()).api.get(types)).status).toBe(403);
  });
});
