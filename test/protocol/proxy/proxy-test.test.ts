import { expect, test } from 'vitest';
import { behindProxy, navigating, protect, proxiedBrowser, sendAs } from '../../support/protected-host.ts';
import { describeOnBoth } from '../../support/server.ts';
import { statementsOf } from '../../support/statements.ts';

describeOnBoth(
  'the test of a reverse proxy',
  (server) => {
    const begin = async (pk: number, body: Record<string, unknown> = {}) => {
      const begun = await server().admin.post(`/providers/proxy/${pk}/test_proxy/`, body);
      expect(begun.status).toBe(200);
      const read = async () =>
        (await server().admin.get(`/providers/proxy/${pk}/test_proxy_result/?test=${begun.body.test}`)).body.steps;
      return { url: begun.body.url as string, read };
    };

    test('reports that the check and the sign-in arrive, and denies access meanwhile', async () => {
      const app = await protect(server(), { skip_path_regex: '^/' });
      const browser = proxiedBrowser(server());
      await browser.signIn((await server().user()).pk);
      await browser.enter(app);
      const { url, read } = await begin(app.pk);
      expect(await read()).toEqual([]);
      expect(new URL(url).origin).toBe(app.url);
      const { status, location } = await browser.ask(url, { kind: 'caddy' });
      expect(status).toBe(302);
      const page = await browser.open(location);
      expect([page.status, page.text.includes('The reverse proxy leads here')]).toEqual([200, true]);
      const [check, start] = await read();
      expect(check).toMatchObject({ step: 'check', proxy: 'caddy', is_trusted: true, is_found: true, missing: [] });
      expect(check.headers).toContainEqual({ name: 'X-Forwarded-Host', received: app.host });
      expect(JSON.stringify(check)).not.toContain('gatehouse_proxy_');
      expect(start).toMatchObject({ step: 'start', is_found: true });
      // Other requests are decided as ever.
      expect((await browser.ask(`${app.url}/`)).status).toBe(200);
    });

    test('reports missing headers, and that the proxy is not trusted', async () => {
      const app = await protect(server());
      const { url, read } = await begin(app.pk);
      const uri = url.slice(app.url.length);
      const nginx = (headers: Record<string, string>, localAddress = '127.0.0.1') =>
        sendAs(server(), '/outpost.gatehouse/auth/nginx', { ...navigating, ...headers }, { localAddress });
      expect((await nginx({ 'x-original-uri': uri })).status).toBe(401);
      expect((await nginx({ 'x-original-url': url }, '127.0.0.2')).status).toBe(401);
      expect((await nginx({ 'x-original-url': `https://other.example.com${uri}` })).status).toBe(401);
      expect(await read()).toMatchObject([
        { missing: ['X-Original-URL'], is_trusted: true, is_found: false },
        { missing: [], is_trusted: false, is_found: false, peer: expect.stringContaining('127.0.0.2') },
        { missing: [], is_trusted: true, is_found: false },
      ]);
      for (let at = 0; at < 20; at++) await nginx({ 'x-original-url': url });
      expect(await read()).toHaveLength(10);
    });

    test('is for those who may change the provider, and for its own hosts', async () => {
      const app = await protect(server());
      const reader = await server().user(['svc_providers_proxy.view_proxyprovider']);
      expect((await reader.api.post(`/providers/proxy/${app.pk}/test_proxy/`, {})).status).toBe(403);
      const { url } = await begin(app.pk);
      const result = `/providers/proxy/${app.pk}/test_proxy_result/?test=${new URL(url).searchParams.get('gatehouse_test')}`;
      expect((await reader.api.get(result)).status).toBe(403);
      const other = await protect(server());
      await sendAs(server(), '/outpost.gatehouse/auth/nginx', { 'x-original-url': url });
      expect((await server().admin.get(result)).body.steps).toHaveLength(1);
      expect((await server().admin.get(result.replace(`/${app.pk}/`, `/${other.pk}/`))).body.steps).toEqual([]);
      for (const wrong of ['', 'x', "'"])
        expect((await server().admin.get(result.replace(/test=.*/, `test=${wrong}`))).body.steps).toEqual([]);
      const host = { host: 'evil.example' };
      expect((await begin(app.pk, host)).url).toContain(`${app.url}/?`);
      const domain = `test-${server().kind}.example.net`;
      const whole = await protect(server(), {
        ...{ mode: 'forward_domain', external_host: `https://auth.${domain}`, cookie_domain: domain },
      });
      expect((await begin(whole.pk, { host: `wiki.${domain}` })).url).toContain(`https://wiki.${domain}/?`);
      expect((await server().admin.post(`/providers/proxy/${whole.pk}/test_proxy/`, host)).status).toBe(400);
    });

    test('looks up a limited number of tests for each network', async () => {
      const app = await protect(server());
      const { url, read } = await begin(app.pk);
      const browser = proxiedBrowser(server());
      const from = (address: string, to: string) => browser.ask(to, { headers: { 'x-forwarded-for': address } });
      const unknown = url.replace(/.{12}$/, '000000000000');
      const looked = await statementsOf(server(), async () => {
        for (let at = 0; at < 70; at++) expect((await from('198.51.100.9', unknown)).status).toBe(302);
      });
      const lookUps = looked.filter((text) => text.includes('proxy_tests'));
      expect([lookUps.length, lookUps.filter((text) => !text.startsWith('select'))]).toEqual([60, []]);
      // Above the limit, the request is decided like any other.
      expect((await from('198.51.100.9', url)).location).toContain('/outpost.gatehouse/start');
      expect(await read()).toEqual([]);
      await from('198.51.100.10', url);
      expect(await read()).toHaveLength(1);
    });

    test('reaches the mode proxy before its application', async () => {
      const app = await protect(server(), { mode: 'proxy', internal_host: 'http://127.0.0.1:1' });
      const { url, read } = await begin(app.pk);
      expect((await proxiedBrowser(server()).open(url)).status).toBe(200);
      expect(await read()).toMatchObject([{ step: 'request', is_found: true, is_trusted: true }]);
      const unknown = url.replace(/.{12}$/, '000000000000');
      expect((await proxiedBrowser(server()).open(unknown)).status).toBe(302);
    });
  },
  { env: behindProxy },
);
