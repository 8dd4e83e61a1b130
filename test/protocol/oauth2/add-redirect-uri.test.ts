import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import { grantOn } from '../../support/grants.ts';
import { mappingsOf } from '../../support/oauth2.ts';
import { makeRelyingParty, type RelyingParty, stranger, type Visitor, visitor } from '../../support/relying-party.ts';
import { describeOnBoth } from '../../support/server.ts';

const path = '/application/o/add-redirect-uri/';

describeOnBoth('a request with an address that is not registered', (server) => {
  const ask = (browser: Pick<Visitor, 'authorize'>, { clientId }: RelyingParty, redirect_uri: string) =>
    browser.authorize({ client_id: clientId, response_type: 'code', scope: 'openid', redirect_uri, state: 'xyz' });

  const send = (browser: Pick<Visitor, 'visit'>, fields: Record<string, string>) =>
    browser.visit(path, {
      method: 'POST',
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });

  const fieldsIn = (html: string) =>
    Object.fromEntries(
      [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)].map(([, name, value = '']) => [
        name ?? '',
        value.replaceAll('&amp;', '&').replaceAll('&quot;', '"'),
      ]),
    );

  const urisOf = async ({ provider }: RelyingParty) =>
    (await server().admin.get(`/providers/oauth2/${provider.pk}/`)).body.redirect_uris.map(
      ({ url }: { url: string }) => url,
    );

  const administrator = async () => {
    const user = await server().user();
    await server().admin.patch(`/core/users/${user.pk}/`, { groups: [await superusers()] });
    return visitor(server(), user);
  };

  const superusers = async () =>
    (await server().admin.get('/core/groups/?is_superuser=true')).body.results[0].pk as string;

  test('is registered by an administrator from the page, and goes on', async () => {
    const party = await makeRelyingParty(server());
    const browser = await administrator();
    const uri = 'https://app.example/oauth/callback?a=1&b=2';
    const page = await ask(browser, party, uri);
    expect(page.status).toBe(400);
    expect(page.text).toContain(`${party.application.name} sent a redirect address that is not registered for it.`);
    expect(page.text).toContain('https://app.example/oauth/callback?a=1&amp;b=2</p>');
    const fields = fieldsIn(page.text);
    const events = await eventsDuring(server(), async () => {
      const { status, location } = await send(browser, fields);
      expect([status, location?.pathname]).toEqual([303, '/application/o/authorize/']);
      const { location: there } = await browser.visit(location ?? '');
      expect(there?.href).toMatch(/^https:\/\/app\.example\/oauth\/callback\?a=1&b=2&code=/);
    });
    expect(events.map(({ action, username }) => [action, username])).toEqual([
      ['model_updated', browser.person.username],
      ['authorize_application', browser.person.username],
    ]);
    expect(await urisOf(party)).toEqual(['https://app.example/callback', uri]);
    // Sent again, it changes nothing.
    expect((await send(browser, fields)).status).toBe(303);
    expect(await urisOf(party)).toHaveLength(2);
  });

  test('names the application and no parameters to everybody else', async () => {
    const party = await makeRelyingParty(server());
    const evil = 'https://evil.example/in';
    const reader = await server().user(['svc_providers_oauth2.view_oauth2provider']);
    for (const browser of [stranger(server()), await visitor(server()), await visitor(server(), reader)]) {
      const { status, text, headers } = await ask(browser, party, evil);
      expect(status).toBe(400);
      expect(text).toContain(`${party.application.name} sent a redirect address`);
      expect(text).toContain(headers.get('x-request-id'));
      expect(text).not.toContain('evil.example');
      expect(text).not.toContain('<form');
    }
    for (const [client_id, words] of [
      [party.clientId, `${party.application.name} sent a request that this server does not accept.`],
      ['nobody', 'The application that sent you here is not known to this server.'],
      ['', 'The application that sent you here is not known to this server.'],
    ] as const) {
      const { status, text, headers } = await stranger(server()).authorize({ client_id, response_type: 'code' });
      expect([status, text]).toEqual([400, expect.stringContaining(words)]);
      expect(text).toContain(headers.get('x-request-id'));
      expect(text).not.toMatch(/client_id|redirect_uri/);
      const told = await (await administrator()).authorize({ client_id, response_type: 'code' });
      expect(told.text).toContain(client_id === party.clientId ? 'redirect_uri' : 'Unknown client_id.');
    }
  });

  test('is offered to users who may change this provider, and not another', async () => {
    const property_mappings = await mappingsOf(server(), ['openid']);
    const [mine, other] = [
      await makeRelyingParty(server(), { property_mappings }),
      await makeRelyingParty(server(), { property_mappings }),
    ];
    const user = await server().user();
    for (const verb of ['view', 'change'])
      await grantOn(server(), user.pk, `svc_providers_oauth2.${verb}_oauth2provider`, mine.provider.pk);
    const browser = await visitor(server(), user);
    const uri = 'https://app.example/in';
    expect((await ask(browser, other, uri)).text).not.toContain('<form');
    // A client that may act as its users in the API is for superusers to change.
    const powerful = await makeRelyingParty(server());
    for (const verb of ['view', 'change'])
      await grantOn(server(), user.pk, `svc_providers_oauth2.${verb}_oauth2provider`, powerful.provider.pk);
    expect((await ask(browser, powerful, uri)).text).not.toContain('<form');
    expect(await urisOf(powerful)).toEqual(['https://app.example/callback']);
    const fields = fieldsIn((await ask(browser, mine, uri)).text);
    expect(Object.keys(fields)).toEqual(['client_id', 'redirect_uri', 'query', 'proof']);
    // What the page was made for cannot be exchanged.
    for (const changes of [{ redirect_uri: 'https://evil.example/' }, { client_id: other.clientId }, { proof: 'x' }])
      expect((await send(browser, { ...fields, ...changes })).status).toBe(400);
    const { proof: _, ...unproven } = fields;
    expect((await send(browser, unproven)).status).toBe(400);
    // Nor used by another session, even an administrator's.
    expect((await send(await administrator(), fields)).status).toBe(400);
    expect(await urisOf(mine)).toEqual(['https://app.example/callback']);
    expect(await urisOf(other)).toEqual(['https://app.example/callback']);
    expect((await send(browser, fields)).status).toBe(303);
    expect(await urisOf(mine)).toContain(uri);
    // Rights count at the time of the change.
    const late = fieldsIn((await ask(browser, mine, 'https://app.example/late')).text);
    await server().world.db.write((tx) =>
      sql`delete from user_object_permissions where "user" = ${user.pk}`.execute(tx),
    );
    expect((await send(browser, late)).status).toBeGreaterThanOrEqual(400);
    expect(await urisOf(mine)).not.toContain('https://app.example/late');
  });

  test.each([
    'javascript:alert(1)',
    'https://app.example/#there',
    'https://app.example/a b',
    `https://a.example/${'x'.repeat(5_000)}`,
  ])('is not offered where it could never be used: %.40s', async (uri) => {
    const { status, text } = await ask(await administrator(), await makeRelyingParty(server()), uri);
    expect([status, text.includes('<form')]).toEqual([400, false]);
  });
});
