import { expect, test } from 'vitest';
import { makeRelyingParty, signInTo, visitor } from '../support/relying-party.ts';
import { describeOnSqlite } from '../support/server.ts';

// Who has just signed out expects to be asked for their password: a client must not lead them to a page that looks like
// ours.
describeOnSqlite('XSS: a client that is framed when somebody signs out', (server) => {
  test('cannot lead the browser away, open windows or start downloads', async () => {
    const party = await makeRelyingParty(server(), { frontchannel_logout_uri: 'https://evil.example/out' });
    const browser = await visitor(server());
    await signInTo(server(), party, browser);
    const { to } = await browser.answerStep('default-invalidation-flow', {});
    const frames = (await browser.visit(to)).text.match(/<iframe [^>]+>/g) ?? [];
    expect(frames).toHaveLength(1);
    expect(frames[0]).toContain('src="https://evil.example/out?');
    expect(frames[0]).toContain(' sandbox="allow-forms allow-same-origin allow-scripts" ');
  });
});
