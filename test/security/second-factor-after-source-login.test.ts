import { afterAll, expect, test } from 'vitest';
import { makeSource } from '../api/sources/fixtures.ts';
import { startMediaServer } from '../api/sources/media-server.ts';
import { openBrowser } from '../support/flow-client.ts';
import { flowKey } from '../support/make-walk.ts';
import { appFrom, isSignedIn, step } from '../support/second-factor.ts';
import { describeOnSqlite } from '../support/server.ts';

const media = await startMediaServer();
afterAll(() => media.close());
const env = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8', GATEHOUSE_MEDIASRC_API_URL: media.url };
const setup = 'default-authenticator-totp-setup';

describeOnSqlite(
  'the second factor when signing in from a source',
  (server) => {
    test('is asked of everybody who has a device', async () => {
      media.know('source-token', { id: 1, username: 'source', email: 'source@example.com', title: 'Source' });
      media.know('my-token', { id: 7, username: 'from-elsewhere', email: 'elsewhere@example.com', title: 'Somebody' });
      const { slug } = await makeSource(server(), 'mediasrc', {
        plex_token: 'source-token',
        authentication_flow: await flowKey(server(), 'default-source-authentication'),
        enrollment_flow: await flowKey(server(), 'default-source-enrollment'),
      });
      const arrive = async (browser: ReturnType<typeof openBrowser>, at: string) => {
        await browser.post(`/sources/mediasrc/redeem_token/?slug=${slug}`, { plex_token: 'my-token' });
        return browser.show(at);
      };
      const first = openBrowser(server());
      await arrive(first, 'default-source-enrollment');
      const app = appFrom(server(), first, (await first.show(setup)).body.config_url);
      expect((await first.answer(setup, { code: app.code(-step) })).body.component).toBe('xak-flow-redirect');

      const second = openBrowser(server());
      const { body } = await arrive(second, 'default-source-authentication');
      expect(body).toMatchObject({
        component: 'xak-stage-authenticator-validate',
        device_challenges: [{ device_class: 'totp' }],
      });
      expect(await isSignedIn(second)).toBe(false);
      await second.answer('default-source-authentication', { code: app.code() });
      expect(await isSignedIn(second)).toBe(true);
    });
  },
  { env },
);
