import { expect, test } from 'vitest';
import { asked, beginDevice, expectToldInEachMode, pollDevice, secretOf, sent } from '../../support/denied-request.ts';
import { eventsDuring } from '../../support/events.ts';

import {
  asForm,
  connectDevice,
  fieldsOf,
  makeRelyingParty,
  stranger,
  type Visitor,
  visitor,
} from '../../support/relying-party.ts';
import { describeOnSqlite } from '../../support/server.ts';

const explicit = 'default-provider-authorization-explicit-consent';
/** Comes to the question and does not agree. Where that leads. */
async function refuse(browser: Visitor): Promise<string> {
  const { token } = await browser.answerStep(explicit);
  const { component, to } = await browser.answerStep(explicit, { token, refused: true });
  expect(component).toBe('xak-flow-redirect');
  return to;
}

describeOnSqlite('RFC 6749 §4.1.2.1: a person who does not agree', (server) => {
  test('returns only access_denied to the client, in the requested response mode', async () => {
    const party = await makeRelyingParty(server(), {}, explicit);
    const browser = await visitor(server());
    const answered = async (response_mode: string) => {
      await browser.authorize(asked(party, { response_mode }));
      return browser.visit(await refuse(browser));
    };
    const events = await eventsDuring(server(), () => expectToldInEachMode(server(), party, answered));
    expect(events).toEqual([]);
    expect((await browser.person.api.get('/core/user_consent/')).body.results).toEqual([]);
  });

  test('is asked again the next time, and may then agree', async () => {
    const party = await makeRelyingParty(server(), {}, explicit);
    const browser = await visitor(server());
    await browser.authorize(asked(party));
    await browser.visit(await refuse(browser));
    await browser.authorize(asked(party));
    const { token } = await browser.answerStep(explicit);
    const { to } = await browser.answerStep(explicit, { token, refused: false });
    expect((await browser.visit(to)).location?.searchParams.has('code')).toBe(true);
  });

  test('refuses with the token of the question, in their own session, once', async () => {
    const party = await makeRelyingParty(server(), {}, explicit);
    const [browser, other] = [await visitor(server()), await visitor(server())];
    await browser.authorize(asked(party));
    for (const wrong of [{ token: 'guessed', refused: true }, { refused: true }]) {
      expect((await browser.answerStep(explicit, wrong)).component).toBe('xak-stage-consent');
    }
    const { token } = await browser.answerStep(explicit);
    const forged = await browser.visit(`/api/v3/flows/executor/${explicit}/?query=`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, refused: true }),
    });
    expect(forged.status).toBe(403);
    const to = await refuse(browser);
    expect([(await other.visit(to)).status, (await stranger(server()).visit(to)).status]).toEqual([400, 400]);
    expect((await browser.visit(to)).location?.searchParams.get('error')).toBe('access_denied');
    expect((await browser.visit(to)).status).toBe(400);
    // The question is not there any more: whoever agrees to it afterwards allows nothing.
    expect((await browser.answerStep(explicit, { token })).to ?? '').not.toContain('ticket');
  });

  test.each(['the application', 'the provider', 'both'])('is told so if %s was deleted meanwhile', async (what) => {
    const party = await makeRelyingParty(server(), {}, explicit);
    const browser = await visitor(server());
    await browser.authorize(asked(party));
    const { token } = await browser.answerStep(explicit);
    const { admin } = server();
    if (what !== 'the provider') await admin.delete(`/core/applications/${party.application.slug}/`);
    if (what !== 'the application') await admin.delete(`/providers/oauth2/${party.provider.pk}/`);
    const answer = await browser.answerStep(explicit, { token });
    if (answer.component === 'xak-flow-redirect') {
      const { status, location } = await browser.visit(answer.to);
      expect([status >= 400 && status < 500, location]).toEqual([true, null]);
    } else {
      expect(answer.component).toBe('xak-stage-access-denied');
    }
  });

  test('consumes a pushed request', async () => {
    const party = await makeRelyingParty(server(), {}, explicit);
    const browser = await visitor(server());
    const { request_uri } = await sent(server(), 'par', { ...asked(party), ...secretOf(party) });
    const pushed = { client_id: party.clientId, request_uri };
    await browser.authorize(pushed);
    expect((await browser.visit(await refuse(browser))).location?.searchParams.get('error')).toBe('access_denied');
    expect([(await browser.authorize(pushed)).status]).toEqual([400]);
  });
});

describeOnSqlite('RFC 8628 §3.5: a person who does not let a device in', (server) => {
  test('refuses on the consent page', async () => {
    const party = await makeRelyingParty(server(), {}, explicit);
    const { user_code, device_code } = await beginDevice(server(), party);
    const browser = await visitor(server());
    await connectDevice(browser, user_code);
    const { status, text } = await browser.visit(await refuse(browser));
    expect([status, text.includes('Your device is not connected')]).toEqual([200, true]);
    expect(await pollDevice(server(), party, device_code)).toBe('access_denied');
  });

  test('refuses because the device is not theirs', async () => {
    const party = await makeRelyingParty(server());
    const { user_code, device_code } = await beginDevice(server(), party);
    const browser = await visitor(server());
    const entry = fieldsOf((await browser.visit('/device')).text);
    const shown = await browser.visit('/device', asForm({ ...entry, code: user_code }));
    expect(shown.text).toContain('name="refused"');
    const { location } = await browser.visit('/device', asForm({ ...fieldsOf(shown.text), refused: '1' }));
    expect((await browser.visit(location as URL)).text).toContain('Your device is not connected');
    expect(await pollDevice(server(), party, device_code)).toBe('access_denied');
  });

  test('never refuses by a link or a form of another site', async () => {
    const party = await makeRelyingParty(server());
    const { user_code, device_code } = await beginDevice(server(), party);
    const browser = await visitor(server());
    await browser.visit(`/device?code=${user_code}&refused=1`);
    await browser.visit('/device', asForm({ code: user_code, refused: '1' }));
    expect(await pollDevice(server(), party, device_code)).toBe('authorization_pending');
  });
});
