import { expect, test } from 'vitest';
import { atFactor, makeFactorFlow } from '../support/factor-walk.ts';
import { personWithPasskey } from '../support/passkey.ts';
import { giveCodes, isSignedIn, personWithPassword } from '../support/second-factor.ts';
import { describeOnBoth } from '../support/server.ts';

describeOnBoth('a second factor, asked for before and shown after', (server) => {
  const changes = ['their device is removed', 'they are deactivated', 'they are deleted'] as const;
  const change = async (what: (typeof changes)[number], user: number, kind: string) => {
    const { admin } = server();
    if (what === 'they are deactivated') return admin.patch(`/core/users/${user}/`, { is_active: false });
    if (what === 'they are deleted') return admin.delete(`/core/users/${user}/`);
    const [{ pk }] = (await admin.get(`/authenticators/admin/all/?user=${user}`)).body;
    return admin.delete(`/authenticators/admin/${kind}/${pk}/`);
  };

  test.each(changes)('%s: a recovery code lets no user in', async (what) => {
    const ada = await personWithPassword(server());
    const [code] = await giveCodes(server(), ada.username);
    const flow = await makeFactorFlow(server(), 'static');
    const { browser } = await atFactor(server(), flow, ada);
    expect((await change(what, ada.pk, 'static')).status).toBeLessThan(300);
    expect((await browser.answer(flow, { code })).status).toBe(200);
    expect(await isSignedIn(browser)).toBe(false);
  });

  test.each(changes)('%s: a passkey lets no user in', async (what) => {
    const ada = await personWithPasskey(server());
    const flow = await makeFactorFlow(server(), 'webauthn');
    const { browser, offered } = await atFactor(server(), flow, ada);
    expect((await change(what, ada.pk, 'webauthn')).status).toBeLessThan(300);
    expect((await browser.answer(flow, { webauthn: ada.key.prove(offered.challenge) })).status).toBe(200);
    expect(await isSignedIn(browser)).toBe(false);
  });
});
