import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { startOpenId } from '../protocol/oauth-source/openid-service.ts';
import { openIdWalk } from '../protocol/oauth-source/openid-walk.ts';
import { newBrowser, saidOn, throughFlow } from '../protocol/oauth-source/visitor.ts';
import { scimClient } from '../protocol/scim/scim-client.ts';
import { type Browser, openBrowser, signInByPassword } from '../support/flow-client.ts';
import { quiet } from '../support/jobs.ts';
import { makePrompt, makeWalk, unique } from '../support/make-walk.ts';
import { startMailReceiver } from '../support/receivers.ts';
import { linkIn, makeRecovery, newPassword, readMails } from '../support/recovery.ts';
import { makeRelyingParty, signInTo, visitor } from '../support/relying-party.ts';
import { password, userIn } from '../support/second-factor.ts';
import { describeOnBoth, describeOnSqlite, type TestServer } from '../support/server.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';

const mail = await startMailReceiver();
const peer = await startOpenId();
afterAll(() => Promise.all([mail.close(), peer.close()]));
beforeEach(() => {
  mail.mails.length = 0;
  return peer.reset();
});
const env = {
  GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8',
  GATEHOUSE_SMTP_URL: mail.url,
  GATEHOUSE_SMTP_FROM: 'gatehouse@example.com',
};
const address = () => `${unique('Me')}@example.org`;

const trust = async (server: TestServer, trust_administrator_emails: boolean) => {
  const answer = await server.admin.patch('/admin/settings/', { trust_administrator_emails });
  expect(answer.status).toBe(200);
};
const proofOf = async ({ admin }: TestServer, pk: number) => {
  const { email, email_verified, email_verified_at, email_verified_by } = (await admin.get(`/core/users/${pk}/`)).body;
  return { email, email_verified, isDated: email_verified_at !== null, email_verified_by };
};
const unproven = { email_verified: false, isDated: false, email_verified_by: null };
const proven = (email_verified_by: string) => ({ email_verified: true, isDated: true, email_verified_by });
const named = async ({ admin }: TestServer, username: string): Promise<number> =>
  (await admin.get(`/core/users/?username=${encodeURIComponent(username)}`)).body.results[0].pk;

/** A flow that asks for these members and writes them to the user. */
async function writing(
  server: TestServer,
  keys: readonly string[],
  values: Record<string, unknown> = {},
  stages: unknown[] = [],
) {
  const types: Record<string, string> = { email: 'email', password: 'password' };
  const fields = await Promise.all(keys.map((key) => makePrompt(server, key, types[key] ?? 'text')));
  const walk = [['prompt/stages', { fields }], ...stages, ['user_write'], ['user_login']] as Parameters<
    typeof makeWalk
  >[1];
  return (await makeWalk(server, walk, values)).slug;
}

describeOnBoth(
  'every writer of an address',
  (server) => {
    /** All ways in which an address of an existing user can change, each with whether the new address is proven. */
    const writers: Record<string, (user: { pk: number; username: string }, email: string) => Promise<unknown>> = {
      'PATCH of the API': ({ pk }, email) => server().admin.patch(`/core/users/${pk}/`, { email }),
      'PUT of the API': ({ pk, username }, email) =>
        server().admin.put(`/core/users/${pk}/`, { username, name: 'x', email }),
      'bulk operations': ({ pk }, email) =>
        server().admin.post('/admin/bulk/', {
          writes: [{ path: `/core/users/${pk}/`, changes: { email } }],
        }),
      'the user write stage': async ({ pk }, email) => {
        const slug = await writing(server(), ['email']);
        const browser = await signedInBrowser(server(), pk);
        await browser.show(slug);
        return browser.answer(slug, { email });
      },
      'a SCIM client': async ({ pk, username }, email) => {
        const client = await scimClient(server());
        await server().admin.post('/sources/scim_users/', { id: unique('id'), user: pk, source: client.source.pk });
        const { uuid } = (await server().admin.get(`/core/users/${pk}/`)).body;
        return client.send('PUT', `/Users/${uuid}`, {
          schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
          userName: username,
          emails: [{ value: email, primary: true }],
        });
      },
      'a statement of SQL': ({ pk }, email) =>
        server().world.db.write((tx) => sql`update users set email = ${email} where pk = ${pk}`.execute(tx)),
    };

    test.each(Object.keys(writers))(
      '%s: another address is unproven, the same in other letters is not',
      async (name) => {
        const write = writers[name] as (typeof writers)[string];
        await trust(server(), true);
        const email = address();
        const user = await server().user([], { email });
        expect(await proofOf(server(), user.pk)).toEqual({ email, ...proven('administrator') });
        await trust(server(), false);
        const other = email.toUpperCase();
        if (name !== 'a statement of SQL') {
          await write(user, other);
          expect(await proofOf(server(), user.pk)).toEqual({ email: other, ...proven('administrator') });
        }
        const next = address();
        await write(user, next);
        expect(await proofOf(server(), user.pk)).toMatchObject({ email: next, email_verified: false });
        await write(user, email);
        if (name !== 'a statement of SQL')
          expect(await proofOf(server(), user.pk)).toMatchObject({ email, email_verified: false });
      },
    );
  },
  { env },
);

describeOnSqlite(
  'the proof of an address',
  (server) => {
    test('administrators state it, and a setting decides about the addresses that they enter', async () => {
      await trust(server(), true);
      const one = await server().user([], { email: address() });
      expect(await proofOf(server(), one.pk)).toMatchObject(proven('administrator'));
      await trust(server(), false);
      const other = await server().user([], { email: address() });
      expect(await proofOf(server(), other.pk)).toMatchObject(unproven);
      const set = (email_verified: boolean) => server().admin.patch(`/core/users/${other.pk}/`, { email_verified });
      expect((await set(true)).body).toMatchObject({ email_verified: true, email_verified_by: 'administrator' });
      expect((await set(false)).body).toMatchObject({ email_verified: false });
      const nameless = await server().user([], { email: '' });
      expect((await server().admin.patch(`/core/users/${nameless.pk}/`, { email_verified: true })).body).toEqual({
        email_verified: ['There is no address to verify.'],
      });
      await trust(server(), true);
    });

    test('the setting is for superusers, and no user verifies the address of a stronger account', async () => {
      const delegate = await server().user([
        'svc_core.view_user',
        'svc_core.change_user',
        'svc_rbac.edit_system_settings',
      ]);
      const strong = await server().user(['svc_core.delete_group'], { email: address() });
      const weak = await server().user([], { email: address() });
      const patch = (pk: number) => delegate.api.patch(`/core/users/${pk}/`, { email_verified: false });
      expect((await patch(strong.pk)).status).toBe(403);
      expect((await patch(weak.pk)).status).toBe(200);
      expect((await delegate.api.patch('/admin/settings/', { trust_administrator_emails: false })).status).toBe(403);
    });

    test('a link mailed to the address proves it, at enrolment and when it changes', async () => {
      const stages = [['email', { use_global_settings: true }]];
      const enrolment = await writing(server(), ['username', 'email'], { designation: 'enrollment' }, stages);
      const username = unique('new');
      const email = address();
      const browser = openBrowser(server());
      await browser.show(enrolment);
      await browser.answer(enrolment, { username, email });
      await quiet(server());
      await openBrowser(server()).answer(enrolment, { component: 'xak-stage-email' }, linkIn(mail).search.slice(1));
      const pk = await named(server(), username);
      expect(await proofOf(server(), pk)).toEqual({ email, ...proven('mail') });
    });

    test('what people enter themselves proves nothing', async () => {
      const enrolment = await writing(server(), ['username', 'email'], { designation: 'enrollment' });
      const username = unique('new');
      const browser = openBrowser(server());
      await browser.show(enrolment);
      await browser.answer(enrolment, { username, email: address() });
      const pk = await named(server(), username);
      expect(await proofOf(server(), pk)).toMatchObject({ email_verified: false, email_verified_by: 'user' });
    });

    test('an invitation proves the address that it was mailed to, and no other', async () => {
      const slug = (
        await makeWalk(
          server(),
          [
            ['invitation/stages'],
            [
              'prompt/stages',
              {
                fields: [await makePrompt(server(), 'username', 'text'), await makePrompt(server(), 'email', 'email')],
              },
            ],
            ['user_write'],
          ],
          { designation: 'enrollment' },
        )
      ).slug;
      const { pk: flow } = (await server().admin.get(`/flows/instances/${slug}/`)).body;
      const enrol = async (token: string, email: string) => {
        const username = unique('invited');
        const browser = openBrowser(server());
        await browser.show(slug, `itoken=${token}`);
        await browser.answer(slug, { username, email }, `itoken=${token}`);
        return proofOf(server(), await named(server(), username));
      };
      const invitation = (await server().admin.post('/stages/invitation/invitations/', { name: unique('i'), flow }))
        .body;
      expect(await enrol(invitation.token, address())).toMatchObject({ email_verified: false });
      const email = address();
      await server().admin.post(`/stages/invitation/invitations/${invitation.pk}/send_email/`, { email });
      await quiet(server());
      const token = /itoken=([A-Za-z0-9]{43})/.exec(readMails(mail)[0] ?? '')?.[1] ?? '';
      expect(await enrol(token, address())).toMatchObject({ email_verified: false });
      expect(await enrol(token, email)).toEqual({ email, ...proven('invitation') });
    });

    test('a recovery link that was mailed proves the address', async () => {
      await trust(server(), false);
      const email = address();
      const user = await server().user([], { email });
      const { slug } = await makeRecovery(server());
      const browser = openBrowser(server());
      await browser.show(slug);
      await browser.answer(slug, { uid_field: email });
      await quiet(server());
      const query = linkIn(mail).search.slice(1);
      await browser.answer(slug, { component: 'xak-stage-email' }, query);
      await browser.answer(slug, newPassword);
      expect(await proofOf(server(), user.pk)).toEqual({ email, ...proven('mail') });
      await trust(server(), true);
    });

    test('a SCIM client proves addresses where its source says so', async () => {
      const emails = () => [{ value: address(), primary: true }];
      const pkOf = async ({ userName }: { userName: string }) => named(server(), userName);
      const doubted = await scimClient(server());
      expect(await proofOf(server(), await pkOf(await doubted.user({ emails: emails() })))).toMatchObject(unproven);
      const trusted = await scimClient(server(), { trust_emails: true });
      expect(await proofOf(server(), await pkOf(await trusted.user({ emails: emails() })))).toMatchObject(
        proven('scim'),
      );
    });
  },
  { env },
);

describeOnSqlite(
  'an address that nobody has proven here',
  (server) => {
    const { source, arrive, connectionsOf, me } = openIdWalk(server, peer);

    /** A user who has enrolled with an address that they have not shown to be theirs. */
    async function enrolled(email: string): Promise<{ pk: number; username: string; browser: Browser }> {
      const slug = await writing(server(), ['username', 'email', 'password'], { designation: 'enrollment' });
      const username = unique('early');
      const browser = openBrowser(server());
      await browser.show(slug);
      await browser.answer(slug, { username, email, password });
      return { pk: await named(server(), username), username, browser };
    }
    const linking = () => source({ user_matching_mode: 'email_link' });

    test('leads no user who comes from a source into the account of who entered it first', async () => {
      const email = address();
      const squatter = await enrolled(email);
      const { slug } = await linking();
      peer.person = { sub: unique('ceo'), preferred_username: unique('ceo'), email, email_verified: true };
      const browser = newBrowser(server());
      const page = await arrive(slug, browser);
      expect([page.status, page.location]).toEqual([200, '']);
      expect(saidOn(page)).toContain('The address was not verified: sign in to the account to connect it.');
      expect(await userIn(browser)).toBeNull();
      expect(await connectionsOf(slug)).toEqual([]);
      expect(await proofOf(server(), squatter.pk)).toMatchObject({ email_verified: false });
    });

    test('connects the account once its password was given, and never another account', async () => {
      const email = address();
      const owner = await enrolled(email);
      const other = await enrolled(address());
      const { slug } = await linking();
      peer.person = { sub: unique('owner'), preferred_username: unique('owner'), email, email_verified: true };
      const wrong = newBrowser(server());
      await arrive(slug, wrong);
      const denied = await signInByPassword(wrong, other.username, password);
      expect(denied.body).toMatchObject({ component: 'xak-stage-access-denied' });
      expect(await connectionsOf(slug)).toEqual([]);
      const browser = newBrowser(server());
      await arrive(slug, browser);
      expect((await signInByPassword(browser, owner.username, password)).body.component).toBe('xak-flow-redirect');
      expect((await me(browser)).pk).toBe(owner.pk);
      expect(await connectionsOf(slug)).toMatchObject([{ user: owner.pk }]);
      expect(await proofOf(server(), owner.pk)).toMatchObject(proven('source'));
      const again = newBrowser(server());
      expect(await throughFlow(again, await arrive(slug, again))).toMatchObject({ component: 'xak-flow-redirect' });
      expect((await me(again)).pk).toBe(owner.pk);
    });

    test('is matched once it is proven, and enrolment by a source that vouches proves it', async () => {
      const email = address();
      const { slug } = await linking();
      peer.person = { sub: unique('new'), preferred_username: unique('new'), email, email_verified: true };
      const browser = newBrowser(server());
      await throughFlow(browser, await arrive(slug, browser));
      const { pk } = await me(browser);
      expect(await proofOf(server(), pk)).toEqual({ email, ...proven('source') });
      const second = await linking();
      const again = newBrowser(server());
      await throughFlow(again, await arrive(second.slug, again));
      expect((await me(again)).pk).toBe(pk);
    });

    test('is false to applications, unknown is left out, and proven is true', async () => {
      const claimsOf = async (pk: number, username: string) => {
        const person = { ...(await server().user()), pk, username };
        const { tokens } = await signInTo(server(), await makeRelyingParty(server()), await visitor(server(), person), {
          scope: 'openid email profile',
        });
        const info = await fetch(`${server().url}/application/o/userinfo/`, {
          headers: { authorization: `Bearer ${tokens.access_token}` },
        });
        return (await info.json()) as Record<string, unknown>;
      };
      const early = await enrolled(address());
      expect(await claimsOf(early.pk, early.username)).toMatchObject({ email_verified: false });
      await trust(server(), false);
      const unknown = await server().user([], { email: address(), attributes: { email_verified: true } });
      expect(await claimsOf(unknown.pk, unknown.username)).not.toHaveProperty('email_verified');
      await trust(server(), true);
      const known = await server().user([], { email: address() });
      const claims = await claimsOf(known.pk, known.username);
      expect(claims).toMatchObject({ email_verified: true });
      const changed = Number(claims.updated_at);
      expect(changed).toBeGreaterThan(Date.now() / 1000 - 600);
      await server().admin.patch(`/core/users/${known.pk}/`, { attributes: { updated_at: 1234 } });
      expect(await claimsOf(known.pk, known.username)).toMatchObject({ updated_at: 1234 });
    });
  },
  { env },
);
