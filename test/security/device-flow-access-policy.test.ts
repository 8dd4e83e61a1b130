import * as client from 'openid-client';
import { expect, test } from 'vitest';
import { bindExpression } from '../support/make-walk.ts';
import { asForm, connectDevice, discover, makeRelyingParty, visitor } from '../support/relying-party.ts';
import { describeOnSqlite } from '../support/server.ts';

// The policies of the application were asked in every grant but this one (CVE-2024-38371).
describeOnSqlite('devices of people who may not use the application', (server) => {
  async function begin() {
    const party = await makeRelyingParty(server());
    const device = await client.initiateDeviceAuthorization(await discover(server(), party), { scope: 'openid' });
    const ask = async () => {
      const form = asForm({
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: device.device_code,
        client_id: party.clientId,
        client_secret: party.clientSecret,
      });
      const answer = (await (await fetch(`${server().url}/application/o/token/`, form)).json()) as { error?: string };
      return answer.error ?? null;
    };
    return { party, device, ask };
  }

  test('cannot be approved and get access_denied', async () => {
    const { party, device, ask } = await begin();
    await bindExpression(server(), party.application.pk, 'return false;');
    const { answer } = await connectDevice(await visitor(server()), device.user_code);
    expect(answer.status).toBe(403);
    expect(await ask()).toBe('access_denied');
  });

  test('get no tokens when the policy was added after the approval', async () => {
    const { party, device, ask } = await begin();
    const { answer } = await connectDevice(await visitor(server()), device.user_code);
    expect(answer.location?.search).toBe('?done=1');
    await bindExpression(server(), party.application.pk, 'return false;');
    expect(await ask()).toBe('access_denied');
  });
});
