import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { signInSource } from '../protocol/oauth-source/make-source.ts';
import { type newBrowser, submitLink, visit } from '../protocol/oauth-source/visitor.ts';
import { eventsDuring } from '../support/events.ts';
import { made, makePrompt, makeWalk, unique } from '../support/make-walk.ts';
import { makeRelyingParty } from '../support/relying-party.ts';
import { makeServiceProvider } from '../support/saml-sp.ts';
import { personWithPassword } from '../support/second-factor.ts';
import { describeOnSqlite } from '../support/server.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';

// What a browser sends of a navigation from our own pages: a redirect (`next`), an icon, a link from elsewhere.
const headers = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

/**
 * Tables that a GET may write to: the position in a flow, that a session is used, requests of applications, what a
 * visit remembers.
 */
const bookkeeping = new Set([
  ...['flow_plans', 'source_visits', 'jobs', 'events', 'unmatched_events'],
  ...['authorization_tickets', 'seen_once', 'shared_counts'],
]);

describeOnSqlite('a navigation from one of our own pages', (server) => {
  async function signedIn() {
    const { pk, username } = await personWithPassword(server());
    return { pk, username, browser: await signedInBrowser(server(), pk) };
  }
  const isSignedIn = async (browser: ReturnType<typeof newBrowser>) =>
    (await browser.get('/core/users/me/')).status === 200;

  test('changes nothing at any address', async () => {
    const { app, world, admin } = server();
    await app.jobs.stop();
    const prompt = await makePrompt(server(), 'name', 'hidden', { initial_value: 'Changed' });
    await makeWalk(server(), [
      ['prompt/stages', { fields: [prompt] }],
      ['user_write', { user_creation_mode: 'never_create' }],
    ]);
    await makeWalk(server(), [['user_write', { user_creation_mode: 'always_create' }]]);
    await makeWalk(server(), [['user_delete']], { designation: 'unenrollment' });
    await makeWalk(server(), [['user_logout']], { designation: 'stage_configuration' });
    await makeWalk(server(), [['user_login', { terminate_other_sessions: true }]]);
    const source = await signInSource(server(), {
      authorization_url: 'https://elsewhere.example/authorize',
      access_token_url: 'https://elsewhere.example/token',
      profile_url: 'https://elsewhere.example/me',
      provider_type: 'github',
    });
    const flows = (await admin.get('/flows/instances/?page_size=100')).body.results.map(
      (flow: { slug: string }) => flow.slug,
    );
    const slugs: string[] = [...flows, source.slug];
    const others = await signedIn();
    await made(server(), '/sources/user_connections/oauth/', { user: others.pk, source: source.pk, identifier: 'x' });

    const { browser } = await signedIn();
    const written: string[] = [];
    let address = '';
    const stop = world.db.onStatement(({ sql: text }) => {
      const [, table = ''] = /^\s*(?:insert into|update|delete from)\s+"?(\w+)/i.exec(text) ?? [];
      if (table && !bookkeeping.has(table)) written.push(`${address}: ${text.slice(0, 120)}`);
    });
    for (const { methods, path } of app.server.routes.declared) {
      const isApi = path.startsWith('/api/') && !path.includes('/flows/executor/');
      if (isApi || !(methods.includes('GET') || methods.includes('any method'))) continue;
      const named = path.includes('{slug}') || path.includes('{flow_slug}') ? slugs : [''];
      for (const slug of named) {
        for (const query of path.startsWith('/source/') ? ['', '?link', '?sign_in', '?next=/if/user/'] : ['']) {
          address =
            path
              .replace(/\{(flow_)?slug\}/, slug)
              .replace(/\{\w+\}/g, '1')
              .replace('*', '') + query;
          await visit(server(), browser, address, { headers });
        }
      }
    }
    stop();
    expect(written).toEqual([]);
    expect(await isSignedIn(browser)).toBe(true);
  });

  test('signs no user out: the page asks first, and its answer does', async () => {
    const { browser } = await signedIn();
    const flow = 'default-invalidation-flow';
    const page = await visit(server(), browser, `/if/flow/${flow}/?next=/if/user/`, { headers });
    expect(page.status).toBe(200);
    const icon = await visit(server(), browser, `/api/v3/flows/executor/${flow}/`, {
      headers: { accept: 'image/*,*/*;q=0.8', 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'image' },
    });
    expect(JSON.parse(icon.text)).toMatchObject({ component: 'xak-flow-confirm', signs_out: true });
    expect(await isSignedIn(browser)).toBe(true);
    const { body } = await browser.answer(flow, { component: 'xak-flow-confirm' });
    expect(body.component).toBe('xak-flow-redirect');
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('writes no account by a flow that asks nothing', async () => {
    const prompt = await makePrompt(server(), 'name', 'hidden', { initial_value: 'Mallory' });
    const { slug } = await makeWalk(server(), [
      ['prompt/stages', { fields: [prompt] }],
      ['user_write', { user_creation_mode: 'never_create' }],
    ]);
    const { slug: silent } = await makeWalk(server(), [['user_write', { user_creation_mode: 'never_create' }]]);
    const { browser, username } = await signedIn();
    expect((await browser.show(slug)).body.component).toBe('xak-stage-prompt');
    const events = await eventsDuring(server(), async () => {
      expect((await browser.show(silent)).body).toMatchObject({ component: 'xak-flow-confirm', signs_out: false });
    });
    expect(events).toEqual([]);
    const [stored] = (await server().admin.get(`/core/users/?username=${username}`)).body.results;
    expect(stored.name).not.toBe('Mallory');
  });

  test('continues a flow that the user has answered', async () => {
    const { slug } = await makeWalk(server(), [['dummy'], ['user_logout']], { designation: 'invalidation' });
    const { browser } = await signedIn();
    await browser.show(slug);
    expect((await browser.answer(slug, { component: 'xak-stage-dummy' })).body.component).toBe('xak-flow-redirect');
    expect(await isSignedIn(browser)).toBe(false);
  });

  test('links no account at a source, and the confirmation works for its own session alone', async () => {
    const { slug, pk } = await signInSource(server(), {
      authorization_url: 'https://elsewhere.example/authorize',
      access_token_url: 'https://elsewhere.example/token',
      profile_url: 'https://elsewhere.example/me',
      provider_type: 'github',
    });
    const { browser } = await signedIn();
    const away = async () => {
      const { rows } = await sql`select 1 from source_visits where source = ${pk}`.execute(server().world.db.read);
      return rows.length;
    };
    const page = await visit(server(), browser, `/source/oauth/login/${slug}/?link`, { headers });
    expect([page.status, page.text.includes('Connect ')]).toEqual([200, true]);
    expect(await away()).toBe(0);
    const { browser: other } = await signedIn();
    expect((await submitLink(server(), other, page)).status).toBe(200);
    expect(await away()).toBe(0);
    expect((await submitLink(server(), browser, page)).location).toContain('https://elsewhere.example/authorize');
    expect(await away()).toBe(1);
  });

  test('signs out for an application only with proof that it means this session', async () => {
    const { slug } = await makeRelyingParty(server());
    const { browser } = await signedIn();
    const page = await visit(server(), browser, `/application/o/${slug}/end-session/`, { headers });
    expect([page.status, page.text.includes('Do you want to sign out?')]).toEqual([200, true]);
    const sp = await makeServiceProvider(server());
    await visit(server(), browser, `/application/saml/${sp.slug}/slo/binding/redirect/?logout=${unique('x')}`, {
      headers,
    });
    expect(await isSignedIn(browser)).toBe(true);
  });
});
