import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { apiFor } from '../../support/api.ts';
import { asked } from '../../support/denied-request.ts';
import { eventsDuring } from '../../support/events.ts';
import { quiet } from '../../support/jobs.ts';
import { bindExpression } from '../../support/make-walk.ts';
import { makeRelying, post, tokensFor } from '../../support/oauth2.ts';
import { makeRelyingParty, stranger, visitor } from '../../support/relying-party.ts';
import { describeOnSqlite } from '../../support/server.ts';

const evil = 'https://evil.example/<script>';

describeOnSqlite(
  'refusals are told to administrators',
  (server) => {
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

    test('RFC 6749 §5.2: a refusal when tokens are refreshed is recorded too', async () => {
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

    test('RFC 6749 §3.1.2.4: a wrong redirect address is recorded, and strangers cannot fill the log by it', async () => {
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
      expect(pages[0]).toContain(party.application.name);
      expect(pages[0]).not.toContain('evil.example');
      expect(pages[0]).toContain('href="/"');
      expect(pages[0]).not.toContain('href="https://evil');
      expect(events.map(({ action }) => action)).toEqual(Array.from({ length: 5 }, () => 'configuration_error'));
      expect(events[0]?.context).toMatchObject({ redirect_uri: evil, provider: { name: party.provider.name } });
      const [last] = (await server().admin.get('/events/events/?action=configuration_error')).body.results;
      expect(last.sentence).toContain(
        `The redirect URI of a request to sign in to ${party.application.name} is not registered.`,
      );
    });

    test('RFC 6749 §3.1.2.4: of wrong redirect addresses of one provider, administrators are notified once', async () => {
      const told = async (name: string): Promise<number> => {
        const { rows } = await sql<{ context: string }>`select e.context from notifications n
        join events e on e.pk = n.event`.execute(server().world.db.read);
        return rows.filter(({ context }) => context.includes(name)).length;
      };
      const party = await makeRelyingParty(server());
      const visitors = ['198.51.100.1', '198.51.100.2', '198.51.100.3'];
      const events = await eventsDuring(server(), async () => {
        for (const address of visitors) {
          const query = new URLSearchParams(asked(party, { redirect_uri: evil })).toString();
          await apiFor(server().url, { 'x-forwarded-for': address }).send('GET', `/application/o/authorize/?${query}`);
        }
      });
      expect(events).toHaveLength(visitors.length);
      await quiet(server());
      expect(await told(party.provider.name)).toBe(1);
    });
  },
  { env: { GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1' } },
);
