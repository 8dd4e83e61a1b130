import * as client from 'openid-client';
import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';

import { connectDevice, discover, makeRelyingParty, signInTo, visitor } from '../../support/relying-party.ts';
import { describeOnSqlite } from '../../support/server.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';

describeOnSqlite('the event of an authorization is written once', (server) => {
  /** By whom, by which grant and through which flow applications were let in meanwhile. */
  async function authorizationsOf(work: () => Promise<unknown>) {
    const events = await eventsDuring(server(), work);
    return events
      .filter(({ action }) => action === 'authorize_application')
      .map(({ username, context }) => [username, context.grant_type, context.scopes, 'flow' in context]);
  }

  async function countedBy(slug: string): Promise<number> {
    const { body } = await server().admin.get(`/core/applications/${slug}/metrics/`);
    return body.reduce((sum: number, { y_cord }: { y_cord: number }) => sum + y_cord, 0);
  }

  test('when a person authorizes, not when the code is exchanged or tokens refreshed', async () => {
    const party = await makeRelyingParty(server());
    const browser = await visitor(server());
    const scope = 'openid offline_access';
    const authorizations = await authorizationsOf(async () => {
      const { config, tokens } = await signInTo(server(), party, browser, { scope });
      const again = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
      await client.refreshTokenGrant(config, again.refresh_token ?? '');
    });
    expect(authorizations).toEqual([[browser.person.username, 'authorization_code', scope, true]]);
    expect(await countedBy(party.slug)).toBe(1);
    const { body } = await server().admin.get(`/core/users/${browser.person.pk}/metrics/`);
    const given = body.authorizations.map(({ y_cord }: { y_cord: number }) => y_cord);
    expect(given.reduce((sum: number, one: number) => sum + one, 0)).toBe(1);
  });

  test('when a person approves a device, not when it fetches its tokens', async () => {
    const party = await makeRelyingParty(server());
    const browser = await visitor(server());
    const config = await discover(server(), party);
    const device = await client.initiateDeviceAuthorization(config, { scope: 'openid email' });
    const letIn = await authorizationsOf(() => connectDevice(browser, device.user_code));
    expect(letIn).toEqual([[browser.person.username, deviceGrant, 'openid email', true]]);
    const fetched = await authorizationsOf(() =>
      client.pollDeviceAuthorizationGrant(config, { ...device, interval: 0 }),
    );
    expect([fetched, await countedBy(party.slug)]).toEqual([[], 1]);
  });

  test('with the tokens where no user was asked for consent', async () => {
    const party = await makeRelyingParty(server());
    const config = await discover(server(), party);
    let token = '';
    const own = await authorizationsOf(async () => {
      token = (await client.clientCredentialsGrant(config, { scope: 'profile' })).access_token;
    });
    const account = `gatehouse-${party.provider.name}-client_credentials`;
    expect(own).toEqual([[account, 'client_credentials', 'profile', false]]);
    const subject = { subject_token: token, subject_token_type: 'urn:ietf:params:oauth:token-type:access_token' };
    const traded = await authorizationsOf(() => client.genericGrantRequest(config, exchangeGrant, subject));
    expect(traded).toEqual([[account, exchangeGrant, 'profile', false]]);
    expect(await countedBy(party.slug)).toBe(2);
  });
});
