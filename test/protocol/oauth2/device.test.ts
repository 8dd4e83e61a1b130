import * as client from 'openid-client';
import { expect, test } from 'vitest';
import { makeWalk } from '../../support/make-walk.ts';
import type { Made } from '../../support/providers.ts';
import {
  asForm,
  connectDevice,
  discover,
  fieldsOf,
  makeRelyingParty,
  type RelyingParty,
  stranger,
  visitor,
} from '../../support/relying-party.ts';
import { describeOnBoth } from '../../support/server.ts';

const explicit = 'default-provider-authorization-explicit-consent';

describeOnBoth('RFC 8628: device authorization', (server) => {
  async function begin(party: RelyingParty) {
    const config = await discover(server(), party);
    const device = await client.initiateDeviceAuthorization(config, { scope: 'openid email' });
    return { config, device };
  }

  const ask = (party: RelyingParty, device_code: string) =>
    fetch(`${server().url}/application/o/token/`, {
      ...asForm({
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code,
        client_id: party.clientId,
        client_secret: party.clientSecret,
      }),
    }).then(async (response) => ({ status: response.status, body: (await response.json()) as Made }));

  test('a person types the code in, and the device gets tokens for them', async () => {
    const party = await makeRelyingParty(server(), { sub_mode: 'user_username' });
    const { device } = await begin(party);
    expect(device.user_code).toMatch(/^[B-Z]{4}-[B-Z]{4}$/);
    expect(device.verification_uri).toBe(`${server().world.config.publicUrl}/device`);
    const browser = await visitor(server());
    const { shown, answer } = await connectDevice(browser, device.user_code.toLowerCase().replace('-', ' '));
    expect(shown.text).toContain(party.application.name);
    expect(answer.location?.search).toBe('?done=1');
    const { status, body } = await ask(party, device.device_code);
    expect([status, body.token_type, body.scope]).toEqual([200, 'Bearer', 'openid email']);
    expect(JSON.parse(Buffer.from(body.id_token.split('.')[1], 'base64url').toString()).sub).toBe(
      browser.person.username,
    );
    expect((await ask(party, device.device_code)).body.error).toBe('invalid_grant');
  });

  test('a flow that asks for consent is shown, and nothing is approved before it ends', async () => {
    const party = await makeRelyingParty(server(), {}, explicit);
    const { device } = await begin(party);
    const browser = await visitor(server());
    const { answer } = await connectDevice(browser, device.user_code);
    expect(answer.location?.pathname).toBe(`/if/flow/${explicit}/`);
    expect((await ask(party, device.device_code)).body.error).toBe('authorization_pending');
  });

  test('a link with the code in it approves nothing by itself', async () => {
    const party = await makeRelyingParty(server());
    const { device } = await begin(party);
    const browser = await visitor(server());
    const complete = new URL(device.verification_uri_complete ?? '');
    const { status, text } = await browser.visit(`${complete.pathname}${complete.search}&confirmed=1`);
    expect(status).toBe(200);
    expect(text).toContain(`value="${device.user_code}"`);
    await browser.visit('/device', asForm({ code: device.user_code, confirmed: '1' }));
    expect((await ask(party, device.device_code)).body.error).toBe('authorization_pending');
  });

  test('strangers sign in first and come back with their code', async () => {
    const { location } = await stranger(server()).visit('/device?code=BCDF-GHJK');
    expect(location?.searchParams.get('next')).toBe('/device?code=BCDF-GHJK');
  });

  test('unknown and used codes are refused', async () => {
    const party = await makeRelyingParty(server());
    const { device } = await begin(party);
    const browser = await visitor(server());
    await connectDevice(browser, device.user_code);
    for (const code of ['BBBB-BBBB', device.user_code, "' or 1=1", '']) {
      const entry = await browser.visit('/device');
      const { text } = await browser.visit('/device', asForm({ ...fieldsOf(entry.text), code }));
      expect(text).not.toContain(party.application.name);
    }
  });

  test('a brand’s flow comes before the page, and cannot be skipped', async () => {
    const { admin } = server();
    const { body: brands } = await admin.get('/core/brands/');
    const brand = `/core/brands/${brands.results[0].brand_uuid}/`;
    const walk = await makeWalk(server(), [['dummy']], { designation: 'stage_configuration' });
    const party = await makeRelyingParty(server());
    const { device } = await begin(party);
    const browser = await visitor(server());
    const before = fieldsOf((await browser.visit('/device')).text);
    await admin.patch(brand, { flow_device_code: walk.pk });
    try {
      for (const init of [{}, asForm({ ...before, code: device.user_code, confirmed: '1' })]) {
        const { location } = await browser.visit(`/device?code=${device.user_code}`, init);
        expect(location?.pathname).toBe(`/if/flow/${walk.slug}/`);
      }
      expect((await ask(party, device.device_code)).body.error).toBe('authorization_pending');
      await browser.answerStep(walk.slug);
      const { to } = await browser.answerStep(walk.slug, { component: 'xak-stage-dummy' });
      expect((await browser.visit(to)).text).toContain(device.user_code);
      const { answer } = await connectDevice(browser, device.user_code);
      expect(answer.location?.search).toBe('?done=1');
    } finally {
      await admin.patch(brand, { flow_device_code: null });
    }
  });

  // Scopes that the client was not given came with the device's token (CVE-2024-52287).
  test('scopes that the client is not set up for are refused', async () => {
    const party = await makeRelyingParty(server());
    const response = await fetch(`${server().url}/application/o/device/`, {
      ...asForm({ client_id: party.clientId, client_secret: party.clientSecret, scope: 'openid admin' }),
    });
    expect([response.status, ((await response.json()) as Made).error]).toEqual([400, 'invalid_scope']);
  });
});
