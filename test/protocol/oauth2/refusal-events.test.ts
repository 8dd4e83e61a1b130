import { expect, test } from 'vitest';
import { asked } from '../../support/denied-request.ts';
import { eventsDuring } from '../../support/events.ts';
import { bindExpression } from '../../support/make-walk.ts';
import { makeRelying, post, tokensFor } from '../../support/oauth2.ts';
import { makeRelyingParty, stranger, visitor } from '../../support/relying-party.ts';
import { describeOnBoth } from '../../support/server.ts';

const evil = 'https://evil.example/<script>';

describeOnBoth('refusals are told to administrators', (server) => {
  test('RFC 6749 §4.1.2.1: whom the policies of the application turn away is recorded with what they said, a few times', async () => {
    const party = await makeRelyingParty(server());
    await bindExpression(server(), party.application.pk, 'message("Only on weekdays."); return false;');
    const browser = await visitor(server());
    const events = await eventsDuring(server(), async () => {
      for (let i = 0; i < 5; i += 1) {
        const { location } = await browser.authorize(asked(party));
        expect(location?.searchParams.get('error')).toBe('access_denied');
        expect(location?.href).not.toContain('weekdays');
      }
    });
    expect(events.map(({ action, username }) => [action, username])).toEqual(
      Array.from({ length: 3 }, () => ['policy_execution', browser.person.username]),
    );
    expect(events[0]?.context).toMatchObject({
      application: { name: party.application.name },
      result: { passing: false, messages: ['Only on weekdays.'] },
      decided_by: [expect.stringMatching(/^the policy policy-/)],
    });
  });

  test('RFC 6749 §5.2: so is who is turned away when tokens are refreshed', async () => {
    const relying = await makeRelying(server());
    const person = await server().user();
    const { refresh_token } = await tokensFor(server(), relying, person.pk);
    await bindExpression(server(), relying.application.pk, 'return false;');
    const events = await eventsDuring(server(), async () => {
      const fields = { grant_type: 'refresh_token', refresh_token };
      const { body } = await post(server(), 'token', fields, { authorization: relying.basic });
      expect(body.error).toBe('invalid_grant');
    });
    expect(events.map(({ action, username }) => [action, username])).toEqual([['policy_execution', person.username]]);
  });

  test('RFC 6749 §3.1.2.4: a wrong redirect address is shown and recorded, and strangers cannot fill the log by it', async () => {
    const party = await makeRelyingParty(server());
    const browser = stranger(server());
    const pages: string[] = [];
    const events = await eventsDuring(server(), async () => {
      for (let i = 0; i < 8; i += 1) {
        const { status, text, headers } = await browser.authorize(asked(party, { redirect_uri: evil }));
        expect(status).toBe(400);
        expect(text).toContain(headers.get('x-request-id'));
        pages.push(text);
      }
    });
    expect(pages[0]).toContain('https://evil.example/&lt;script&gt;');
    expect(pages[0]).toContain('href="/"');
    expect(pages[0]).not.toContain('href="https://evil');
    expect(events.map(({ action }) => action)).toEqual(Array.from({ length: 5 }, () => 'configuration_error'));
    expect(events[0]?.context).toMatchObject({ redirect_uri: evil, provider: { name: party.provider.name } });
  });
});
