import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bodyFor, type Choices } from '../../../web/admin/applications/template.ts';
import { templates } from '../../../web/admin/applications/templates/all.ts';
import { until } from '../../support/jobs.ts';
import { flowKey, unique } from '../../support/make-walk.ts';
import { type RelyingParty, signInTo, visitor } from '../../support/relying-party.ts';
import { describeOnSqlite } from '../../support/server.ts';

// As each application documents it: where it returns to after signing out, and where it takes logout tokens.
const documented = [
  ['nextcloud', '/apps/user_oidc/code', '/', '/apps/user_oidc/backchannel-logout/Gatehouse'],
  ['synapse', '/_synapse/client/oidc/callback', '/', '/_synapse/client/oidc/backchannel_logout'],
  ['grafana', '/login/generic_oauth', '/login', null],
  ['jenkins', '/securityRealm/finishLogin', '/OicLogout', null],
  ['audiobookshelf', '/auth/openid/callback', '/audiobookshelf/login', null],
  ['argo-cd', '/auth/callback', '', null],
  ['openid-connect', '/callback', '/', null],
] as const;

describeOnSqlite(
  'people who sign out of an application made from a template',
  (server) => {
    const told: [path: string, token: string][] = [];
    const receiver = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      told.push([request.url ?? '', new URLSearchParams(text).get('logout_token') ?? '']);
      response.writeHead(200).end();
    });
    let address = '';
    beforeAll(async () => {
      await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
      address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    });
    afterAll(() => void receiver.close());

    test.each(documented)('%s return to it, and it is told', async (id, redirect, signedOut, backchannel) => {
      const template = templates.find((one) => one.id === id);
      if (!template) throw new Error(`no template ${id}`);
      const slug = unique(id);
      const entered = { redirect: '', signedOut: '', backchannel: '', entity: '', groups: [] };
      const choices: Choices = { name: slug, slug, address, ...entered };
      const body = bodyFor(template, choices);
      const { status, body: made } = await server().admin.put('/core/transactional/applications/', body);
      expect(status).toBe(200);
      const application = (await server().admin.get(`/core/applications/${slug}/`)).body;
      const authorization_flow = await flowKey(server(), 'default-provider-authorization-implicit-consent');
      const path = `/providers/oauth2/${application.provider}/`;
      const provider = (await server().admin.patch(path, { authorization_flow })).body;
      const { client_id: clientId, client_secret: clientSecret } = made;
      const party: RelyingParty = { provider, application, slug, clientId, clientSecret };
      const browser = await visitor(server());
      const { tokens } = await signInTo(server(), party, browser, { redirect_uri: `${address}${redirect}` });
      const query = new URLSearchParams({
        id_token_hint: tokens.id_token ?? '',
        post_logout_redirect_uri: `${address}${signedOut}`,
      });
      const { location } = await browser.visit(`/application/o/${slug}/end-session/?${query}`);
      expect(location?.href).toBe(new URL(`${address}${signedOut}`).href);
      if (backchannel === null) return;
      await until(async () => told.some(([url]) => url === backchannel));
      expect(decodeJwt(told.find(([url]) => url === backchannel)?.[1] ?? '').aud).toBe(clientId);
    });
  },
  { env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.0/8' } },
);
