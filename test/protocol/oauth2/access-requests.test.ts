import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import { quiet } from '../../support/jobs.ts';
import { made, unique } from '../../support/make-walk.ts';
import {
  asForm,
  callback,
  fieldsOf,
  makeRelyingParty,
  type RelyingParty,
  type Visitor,
  visitor,
} from '../../support/relying-party.ts';
import { makeServiceProvider } from '../../support/saml-sp.ts';
import { describeOnBoth } from '../../support/server.ts';

const path = '/application/request-access/';

describeOnBoth('a user whom the bindings of an application keep out', (server) => {
  async function closedParty(access_requests: boolean): Promise<RelyingParty> {
    const party = await makeRelyingParty(server());
    await close(party.application, access_requests);
    return party;
  }

  async function close({ slug, pk }: RelyingParty['application'], access_requests: boolean): Promise<void> {
    const group = await made(server(), '/core/groups/', { name: unique('staff') });
    await made(server(), '/policies/bindings/', { target: pk, group: group.pk, order: 0 });
    const { status } = await server().admin.patch(`/core/applications/${slug}/`, { access_requests });
    expect(status).toBe(200);
  }

  const ask = (browser: Visitor, { clientId }: RelyingParty, further = {}) =>
    browser.authorize({
      ...{ client_id: clientId, response_type: 'code', scope: 'openid', redirect_uri: callback, state: 'xyz' },
      ...further,
    });

  const send = (browser: Pick<Visitor, 'visit'>, fields: Record<string, string>) => browser.visit(path, asForm(fields));

  test('asks for access once, and administrators are notified', async () => {
    const party = await closedParty(true);
    const { name } = party.application;
    const browser = await visitor(server());
    const page = await ask(browser, party);
    expect(page.status).toBe(403);
    expect(page.text).toContain(`You do not have access to ${name}.`);
    expect(page.text).toContain('Ask for access</button>');
    expect(page.text).toContain('error=access_denied');
    const fields = fieldsOf(page.text);
    const events = await eventsDuring(server(), async () => {
      expect((await send(browser, fields)).text).toContain('You have asked for access');
      expect((await send(browser, fields)).status).toBe(200);
    });
    expect(events).toMatchObject([
      { action: 'custom_access_request', username: browser.person.username, context: { model: { name } } },
    ]);
    await quiet(server());
    const { results } = (await server().admin.get('/events/notifications/?ordering=-created')).body;
    expect(results[0].body).toContain(`${browser.person.username} asks for access to ${name}.`);

    // The form is for its session and this application alone.
    expect((await send(await visitor(server()), fields)).status).toBe(403);
    const other = await closedParty(true);
    expect((await send(browser, { ...fields, application: other.application.slug })).status).toBe(403);
    await server().admin.patch(`/core/applications/${party.application.slug}/`, { access_requests: false });
    expect((await send(browser, fields)).status).toBe(403);
  });

  test('asks for access at a SAML provider', async () => {
    const { application, at } = await makeServiceProvider(server());
    await close(application, true);
    const browser = await visitor(server());
    const page = await browser.visit(at('init/'));
    expect([page.status, page.text.includes('SAMLResponse')]).toEqual([403, false]);
    expect((await send(browser, fieldsOf(page.text))).text).toContain('You have asked for access');
  });

  test('is sent back where the application takes no requests, or asks without a user', async () => {
    const browser = await visitor(server());
    for (const [party, further] of [
      [await closedParty(false), {}],
      [await closedParty(true), { prompt: 'none' }],
    ] as const) {
      const { location } = await ask(browser, party, further);
      expect(location?.searchParams.get('error')).toBe('access_denied');
    }
  });
});
