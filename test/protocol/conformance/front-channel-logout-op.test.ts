import { beforeAll, expect, test } from 'vitest';
import { describeOnSqlite } from '../../support/server.ts';
import { goodbye, stay, strict } from './logout-client.ts';
import { prepare } from './person.ts';
import { describeVariant } from './run-variant.ts';

const variant = {
  responseType: 'code',
  settings: {
    frontchannel_logout_uri: 'https://app.example/frontchannel_logout',
    post_logout_redirect_uris: strict(goodbye),
  },
};
const unescaped = (text: string) => text.replaceAll('&amp;', '&');

describeOnSqlite('Front-Channel Logout OP', (server) => {
  beforeAll(() => prepare(server()));

  describeVariant(server, variant, (suite) => {
    test('oidcc-frontchannel-logout-discovery-endpoint-verification: promised, with the session named', () => {
      expect(suite().metadata).toMatchObject({
        frontchannel_logout_supported: true,
        frontchannel_logout_session_supported: true,
      });
    });

    test('oidcc-frontchannel-rp-initiated-logout: the browser loads the client’s address, then goes back to it', async () => {
      const { leave, done, isSignedIn } = await stay(suite());
      const page = await leave({ id_token_hint: done.idToken, post_logout_redirect_uri: goodbye, state: 's' });
      expect([page.status, page.location]).toEqual([200, null]);
      const frames = [...page.text.matchAll(/<iframe src="([^"]+)"/g)].map(([, src = '']) => new URL(unescaped(src)));
      expect(frames.map(({ origin, pathname }) => `${origin}${pathname}`)).toEqual([
        variant.settings.frontchannel_logout_uri,
      ]);
      // OpenID Connect Front-Channel Logout §3
      expect(Object.fromEntries(frames[0]?.searchParams ?? [])).toEqual({
        iss: suite().metadata.issuer,
        sid: done.claims.sid,
      });
      const links = [...page.text.matchAll(/href="([^"]+)"/g)].map(([, to = '']) => unescaped(to));
      expect(links).toContain(`${goodbye}?state=s`);
      expect(await isSignedIn()).toBe(false);
    });
  });
});
