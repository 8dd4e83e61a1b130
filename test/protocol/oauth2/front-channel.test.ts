import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { csrfHeader } from '../../../src/core/session/session-cookies.ts';
import { until } from '../../support/jobs.ts';
import { makeWalk } from '../../support/make-walk.ts';
import type { Made } from '../../support/providers.ts';
import {
  isAlive,
  makeRelyingParty,
  type RelyingParty,
  signInTo,
  type Visitor,
  visitor,
} from '../../support/relying-party.ts';
import { describeOnSqlite } from '../../support/server.ts';

const invalidation = 'default-invalidation-flow';
const goodbye = 'https://app.example/goodbye';
const unescaped = (text: string) => text.replaceAll('&amp;', '&');
const framesOn = (text: string) => [...text.matchAll(/<iframe src="([^"]+)"/g)].map(([, src = '']) => unescaped(src));

describeOnSqlite('OpenID Connect Front-Channel Logout: a person who signs out here', (server) => {
  const isSignedIn = ({ session }: Visitor) => isAlive(server(), session);
  const framed = (frontchannel_logout_uri: string, values: Record<string, unknown> = {}) =>
    makeRelyingParty(server(), { frontchannel_logout_uri, ...values });

  /** A user who has signed in to these clients, and what each is told by of their session. */
  async function signedInTo(...parties: RelyingParty[]) {
    const browser = await visitor(server());
    const told: { iss: unknown; sid: unknown; hint: string }[] = [];
    for (const party of parties) {
      const { tokens } = await signInTo(server(), party, browser);
      told.push({ iss: tokens.claims()?.iss, sid: tokens.claims()?.sid, hint: tokens.id_token ?? '' });
    }
    return { browser, told };
  }

  /** The step of a flow on a page that was opened with this query. */
  async function step(browser: Visitor, flow: string, query: string): Promise<Made> {
    const headers = { [csrfHeader]: browser.jar.get('gatehouse_csrf') ?? '' };
    const path = `/api/v3/flows/executor/${flow}/?${new URLSearchParams({ query })}`;
    return JSON.parse((await browser.visit(path, { headers })).text);
  }

  /** Where the page leads by itself, and by its link. */
  const leadsTo = (text: string) => {
    const [, byItself = ''] = /http-equiv="refresh" content="\d;url=([^"]*)"/.exec(text) ?? [];
    const [, byLink = ''] = /<a class="way" href="([^"]*)">Continue</.exec(text) ?? [];
    expect(byLink).toBe(byItself);
    return unescaped(byLink);
  };

  test('passes a page that loads the address of each client, and leads on', async () => {
    const one = await framed('https://one.example/out?a=b');
    const two = await framed('https://two.example/out');
    const { browser, told } = await signedInTo(one, two, await makeRelyingParty(server()));
    const never = await framed('https://never.example/out');
    await signedInTo(never);
    const { component, to } = await browser.answerStep(invalidation, {});
    expect([component, await isSignedIn(browser)]).toEqual(['xak-flow-redirect', false]);
    // Whether or not clients have been told in other ways meanwhile.
    const { db } = server().world;
    const left = () => sql`select 1 from oauth2_logins where session = ${browser.session}`.execute(db.read);
    await until(async () => (await left()).rows.length === 0);
    const { status, text, headers } = await browser.visit(to);
    expect(status).toBe(200);
    const ofClient = (at: number) => new URLSearchParams({ iss: String(told[at]?.iss), sid: String(told[at]?.sid) });
    expect(framesOn(text)).toEqual([
      `https://one.example/out?a=b&${ofClient(0)}`,
      `https://two.example/out?${ofClient(1)}`,
    ]);
    const policy = headers.get('content-security-policy');
    expect(policy).toContain('frame-src https://one.example https://two.example;');
    expect(policy).toContain("default-src 'none'");
    expect(leadsTo(text)).toBe('/');
  });

  test('goes straight on where no client needs to be told', async () => {
    const query = `next=${encodeURIComponent('/if/user/?a=b')}`;
    const { browser: quiet } = await signedInTo(await makeRelyingParty(server()));
    expect((await step(quiet, invalidation, query)).component).toBe('xak-flow-confirm');
    expect(await isSignedIn(quiet)).toBe(true);
    expect((await quiet.answerStep(invalidation, {}, query)).to).toBe('/if/user/?a=b');
    const { browser } = await signedInTo(await framed('https://app.example/out'));
    const { to } = await browser.answerStep(invalidation, {}, query);
    expect(leadsTo((await browser.visit(to)).text)).toBe('/if/user/?a=b');
  });

  test.each([
    ['asks them something', 'dummy', 'xak-stage-dummy'],
    ['denies them', 'deny', 'xak-stage-access-denied'],
  ])('in a flow that then %s', async (_, kind, shown) => {
    const { slug } = await makeWalk(server(), [['user_logout'], [kind]], { designation: 'invalidation' });
    const { browser, told } = await signedInTo(await framed('https://app.example/out'));
    const { to } = await browser.answerStep(slug, {});
    const { text } = await browser.visit(to);
    expect([framesOn(text).length, framesOn(text)[0]?.includes(String(told[0]?.sid))]).toEqual([1, true]);
    expect(leadsTo(text)).toBe(`/if/flow/${slug}/`);
    expect((await browser.answerStep(slug)).component).toBe(shown);
  });

  test('passes the page when deleting their account', async () => {
    const { slug } = await makeWalk(server(), [['user_delete']], { designation: 'unenrollment' });
    const { browser } = await signedInTo(await framed('https://app.example/out'));
    await browser.answerStep(slug);
    const { to } = await browser.answerStep(slug, { component: 'xak-stage-user-delete' });
    expect(framesOn((await browser.visit(to)).text)).toHaveLength(1);
  });

  test('passes one page when a client asked for it and the flow asks first', async () => {
    const { admin } = server();
    const { brand_uuid, flow_invalidation } = (await admin.get('/core/brands/')).body.results[0];
    const walk = await makeWalk(server(), [['dummy'], ['user_logout']], { designation: 'invalidation' });
    const post_logout_redirect_uris = [{ matching_mode: 'strict', url: goodbye }];
    const party = await framed('https://app.example/out', { post_logout_redirect_uris });
    const { browser, told } = await signedInTo(party);
    const query = { id_token_hint: told[0]?.hint ?? '', post_logout_redirect_uri: goodbye };
    await admin.patch(`/core/brands/${brand_uuid}/`, { flow_invalidation: walk.pk });
    try {
      await browser.visit(`/application/o/${party.slug}/end-session/?${new URLSearchParams(query)}`);
      const { to } = await browser.answerStep(walk.slug, { component: 'xak-stage-dummy' });
      const { text } = await browser.visit(to);
      expect([framesOn(text).length, leadsTo(text), await isSignedIn(browser)]).toEqual([1, goodbye, false]);
    } finally {
      await admin.patch(`/core/brands/${brand_uuid}/`, { flow_invalidation });
    }
  });

  test('leaves an address that cannot be forged or used against others', async () => {
    const { browser } = await signedInTo(await framed('https://app.example/out'));
    const { to } = await browser.answerStep(invalidation, {});
    const other = await visitor(server());
    await other.visit(to);
    expect(await isSignedIn(other)).toBe(true);
    const { text } = await other.visit(`${to.slice(0, -4)}AAAA`);
    expect([framesOn(text), await isSignedIn(other)]).toEqual([[], true]);
  });
});
