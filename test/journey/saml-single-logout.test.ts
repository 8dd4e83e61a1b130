import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { lastEvents } from '../support/events.ts';
import { describeJourney, signInOn, signOutOn, whoIs } from '../support/journey.ts';
import { openPublicPort } from '../support/public-port.ts';
import { startSimpleSp } from '../support/simple-sp.ts';

const password = 'a long enough password for Ada';
const front = await openPublicPort();
afterAll(() => front.close());

describeJourney(
  'SAML single logout',
  (journey) => {
    test('no user stays signed in because one service provider keeps the browser', async () => {
      const { server, window } = journey();
      front.leadsTo(server.url);
      const first = await startSimpleSp(server, 'wants its cookie');
      const silent = await startSimpleSp(server, 'is silent');
      const last = await startSimpleSp(server, 'redirects');
      const all = [first, silent, last];
      const person = await server.user();
      await server.admin.post(`/core/users/${person.pk}/set_password/`, { password });
      const page = await window({ baseURL: front.url });
      for (const [index, sp] of all.entries()) {
        await page.goto(sp.at('init/'));
        if (index === 0) await signInOn(page, person.username, password);
        await page.getByRole('heading', { name: 'Signed in' }).waitFor();
      }
      expect(all.map(({ sessions }) => sessions.size)).toEqual([1, 1, 1]);

      await signOutOn(page);
      await page.getByRole('heading', { name: 'Nobody leaves' }).waitFor();
      expect(await whoIs(page)).toBeNull();
      expect(all.map(({ sessions }) => sessions.size)).toEqual([0, 1, 1]);

      // As if the browser had been there for long enough.
      await server.world.db.write(async (tx) => {
        await sql`update jobs set run_at = created where kind = 'saml_finish_logout' and state = 'queued'`.execute(tx);
        await server.app.jobs.enqueue(tx, { kind: 'saml_find_ended_sessions' });
      });
      await expect.poll(() => last.sessions.size).toBe(0);
      const messages = (await lastEvents(server, 20)).map(({ context: { message } }) => message);
      expect(messages).toContain(
        `${silent.application.name} could not be notified that a session has ended: it did not send the browser back`,
      );
      for (const sp of all) await sp.close();
    });
  },
  { env: { GATEHOUSE_PUBLIC_URL: front.url, GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8' } },
);
