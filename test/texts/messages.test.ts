import { expect, test } from 'vitest';
import { openBrowser, signInFlow } from '../support/flow-client.ts';
import { quiet } from '../support/jobs.ts';
import { bindExpression, made, makeWalk, unique } from '../support/make-walk.ts';
import { makeRelyingParty, visitor } from '../support/relying-party.ts';
import { personWithPassword } from '../support/second-factor.ts';
import { adminToken, describeOnSqlite } from '../support/server.ts';

const consentFlow = 'default-provider-authorization-explicit-consent';
const callback = 'https://app.example/callback';

/** Each way by which a message with values leaves the server, in German; programs read the same in English. */
describeOnSqlite('messages with values reach people in their language', (server) => {
  const german = () => server().user([], { attributes: { settings: { locale: 'de' } } });
  const inGerman = { 'accept-language': 'de' };

  test('as errors of an answer, and of too many wrong ones', async () => {
    const { username } = await personWithPassword(server());
    const [browser, english] = [openBrowser(server(), inGerman), openBrowser(server())];
    const errors = async (using: typeof browser, values: Record<string, unknown>): Promise<string[]> => {
      const { response_errors = {} } = (await using.answer(signInFlow, values)).body;
      const details = Object.values(response_errors) as { string: string }[][];
      return details.flat().map(({ string }) => string);
    };
    const uid_field = 'x'.repeat(300);
    await browser.show(signInFlow);
    expect(await errors(browser, { uid_field })).toEqual(['Dieses Feld darf höchstens 254 Zeichen enthalten.']);
    await english.show(signInFlow);
    expect(await errors(english, { uid_field })).toEqual(['Ensure this field has no more than 254 characters.']);

    const seen: string[] = [];
    for (let tries = 0; tries < 30 && !seen.some((text) => text.startsWith('Zu viele Fehlversuche. V')); tries += 1) {
      const again = openBrowser(server(), inGerman);
      await again.show(signInFlow);
      await again.answer(signInFlow, { uid_field: username });
      seen.push(...(await errors(again, { password: 'wrong' })));
    }
    expect(seen).toContain('Das Passwort ist nicht richtig. Noch 2 Versuche.');
    expect(seen).toContain('Das Passwort ist nicht richtig. Noch 1 Versuch.');
    expect(seen.at(-1)).toMatch(/^Zu viele Fehlversuche\. Versuchen Sie es in \d+ (Minuten|Sekunden) erneut/);
  });

  test('as the reasons of a denial, beside words of an administrator', async () => {
    const walk = await makeWalk(server(), [['dummy']], { authentication: 'require_authenticated' });
    const expiry = await made(server(), '/policies/password_expiry/', { name: unique('policy'), days: 0 });
    await made(server(), '/policies/bindings/', { target: walk.pk, policy: expiry.pk, order: 0 });
    await bindExpression(server(), walk.pk, 'message("Ask us at the desk."); return false;');
    const browser = await visitor(server(), await german());
    expect((await browser.answerStep(walk.slug)).error_message).toMatch(
      /^(?=.*Ihr Passwort ist vor 0 Tagen abgelaufen\. Bitte ändern Sie es\.)(?=.*Ask us at the desk\.)/,
    );
  });

  test('on the page of consent, with its title', async () => {
    const party = await makeRelyingParty(server(), { resources: ['https://api.example/'] }, consentFlow);
    const browser = await visitor(server(), await german());
    await browser.authorize({
      ...{ client_id: party.clientId, redirect_uri: callback, response_type: 'code', scope: 'openid' },
      resource: 'https://api.example/',
    });
    const { name } = party.application;
    expect(await browser.answerStep(consentFlow)).toMatchObject({
      flow_info: { title: `Bei ${name} anmelden` },
      header_text: `Sie sind dabei, sich bei ${name} anzumelden.`,
      permissions: expect.arrayContaining([
        { id: 'resource:https://api.example/', name: 'In Ihrem Namen auf https://api.example/ zugreifen' },
      ]),
    });
  });

  test('on pages without scripts', async () => {
    const { application, slug, clientId } = await makeRelyingParty(server());
    await server().admin.patch(`/core/applications/${slug}/`, { enabled: false });
    const browser = await visitor(server(), await german());
    const request = { client_id: clientId, redirect_uri: callback, response_type: 'code', scope: 'openid' };
    const { text } = await browser.authorize(request);
    expect(text).toContain(`<h1>${application.name} ist ausgeschaltet</h1>`);
    expect(text).toContain(`>Zurück zu ${application.name}</a>`);
    const unregistered = await browser.authorize({ ...request, redirect_uri: 'https://other.example/' });
    expect(unregistered.text).toContain(`<p dir="auto">${application.name} hat eine Weiterleitungsadresse gesendet`);
    expect(unregistered.text).toContain(`Anfrage-ID: ${unregistered.headers.get('x-request-id')}`);
    const name = unique('Source');
    const source = await made(server(), '/sources/oauth/', {
      ...{
        name,
        slug: unique('source'),
        provider_type: 'openidconnect',
        consumer_key: 'key',
        consumer_secret: 'secret',
      },
      authorization_url: 'https://id.example/authorize',
      access_token_url: 'https://id.example/token',
      profile_url: 'https://id.example/profile',
      oidc_jwks_url: 'https://id.example/keys',
    });
    const link = await browser.visit(`/source/oauth/login/${source.slug}/?link`);
    expect(link.text).toContain(`<h1>${name} verbinden?</h1>`);
    expect(link.text).toContain(`mit Ihrem Konto bei ${name} als ${browser.person.username} anmelden.`);
  });

  test('as sentences of events, which the API holds in English', async () => {
    const { admin, url } = server();
    const party = await makeRelyingParty(server());
    await bindExpression(server(), party.application.pk, 'return false;');
    const browser = await visitor(server());
    const request = { client_id: party.clientId, redirect_uri: callback, response_type: 'code', scope: 'openid' };
    await browser.authorize(request);
    expect((await admin.post('/flows/instances/cache_clear/')).status).toBe(204);
    const latest = async (action: string) => {
      const path = `/api/v3/events/events/?action=${action}&page_size=1`;
      const answer = await fetch(`${url}${path}`, { headers: { ...inGerman, authorization: `Bearer ${adminToken}` } });
      return Object(await answer.json()).results[0];
    };
    const cleared = await latest('system_task_execution');
    expect(cleared.sentence).toBe('Der Cache von flows wurde geleert.');
    expect(cleared.context.message).toBe('The cache of flows was cleared.');
    expect(Object.keys(cleared)).not.toContain('messages');
    const denied = await latest('policy_execution');
    expect(denied.sentence).toMatch(
      new RegExp(`wurde bei ${party.application.name} abgewiesen durch die Richtlinie policy-`),
    );
    expect(denied.context.decided_by).toEqual([expect.stringMatching(/^the policy policy-/)]);
  });

  test('as notifications', async () => {
    const person = await german();
    const { pk: group } = await made(server(), '/core/groups/', { name: unique('told'), users: [person.pk] });
    const { pk: target } = await made(server(), '/events/rules/', { name: unique('rule'), group, severity: 'alert' });
    const matched = { name: unique('policy'), action: 'system_task_execution' };
    const { pk: policy } = await made(server(), '/policies/event_matcher/', matched);
    await made(server(), '/policies/bindings/', { target, policy, order: 0 });
    await server().admin.post('/flows/instances/cache_clear/');
    await quiet(server());
    const { results } = (await person.api.get('/events/notifications/')).body;
    expect(results.map(({ body }: { body: string }) => body)).toContain('Der Cache von flows wurde geleert.');
  });
});
