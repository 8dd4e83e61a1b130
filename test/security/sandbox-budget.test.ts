import { expect, test } from 'vitest';
import { sandboxBudgets } from '../../src/platform/sandbox/budget.ts';
import { createSandbox } from '../../src/platform/sandbox/sandbox.ts';
import { samlWalk } from '../protocol/saml-source/saml-walk.ts';
import { lastEvents } from '../support/events.ts';
import { makeApplication, makeProvider } from '../support/providers.ts';
import { stranger } from '../support/relying-party.ts';
import { idpKey } from '../support/saml-idp.ts';
import { describeOnSqlite } from '../support/server.ts';

async function processorMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Patterns that take for ever to match the address below. */
const costly = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ matching_mode: 'regex', url: `https://(a+)+b${at}` }));
const address = `https://${'a'.repeat(60)}/`;

describeOnSqlite('the expressions of one request share one budget', (server) => {
  const authorize = (client_id: string) =>
    stranger(server()).authorize({ client_id, redirect_uri: address, response_type: 'code', scope: 'openid' });

  test('patterns of redirect URIs', async () => {
    const provider = await makeProvider(server(), { redirect_uris: costly(20) });
    await makeApplication(server(), { provider: provider.pk });
    await authorize(provider.client_id);
    let page = await authorize(provider.client_id);
    // Took a second, and ten with more patterns.
    const spent = await processorMs(async () => {
      page = await authorize(provider.client_id);
    });
    expect(spent).toBeLessThan(3 * sandboxBudgets.anonymous);
    expect(page.status).toBe(400);
    expect(page.text).toContain('This sign-in cannot continue');
    const events = await lastEvents(server(), 50);
    const own = events.filter(({ context }) => String(context.message).includes('took too long together'));
    expect(own).toHaveLength(1);
    expect(own[0]?.context).toMatchObject({ path: '/application/o/authorize/' });
  });

  test('patterns of a provider are few', async () => {
    const { admin } = server();
    const provider = await makeProvider(server());
    const change = (redirect_uris: unknown) => admin.patch(`/providers/oauth2/${provider.pk}/`, { redirect_uris });
    expect((await change(costly(20))).status).toBe(200);
    const refused = await change(costly(21));
    expect([refused.status, refused.body.redirect_uris]).toEqual([400, [expect.stringMatching(/At most 20 redirect/)]]);
    const strict = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ matching_mode: 'strict', url: `https://app.example/${at}` }));
    expect((await change(strict(1_000))).status).toBe(200);
    expect((await change(strict(1_001))).status).toBe(400);
  });

  test('policies, of which those without time left deny, whatever a failure means', async () => {
    const { admin } = server();
    const { api } = await server().user();
    const { slug, pk } = await makeApplication(server(), { policy_engine_mode: 'all' });
    const expression = 'while (true);';
    // Each is ended after 50 ms, and passes since its failure does.
    for (let order = 0; order < 12; order++) {
      const made = await admin.post('/policies/expression/', { name: crypto.randomUUID(), expression });
      await admin.post('/policies/bindings/', { policy: made.body.pk, target: pk, order, failure_result: true });
    }
    const launch = async () => (await api.get(`/core/applications/${slug}/check_access/`)).body;
    await launch();
    const { passing } = await launch();
    expect(passing).toBe(false);
    const reported = (await lastEvents(server(), 100)).filter(
      ({ action, context }) => action === 'configuration_error' && context.path?.endsWith('/check_access/'),
    );
    expect(reported).toHaveLength(1);
    // Other requests have budgets of their own.
    const other = await makeApplication(server());
    expect((await api.get(`/core/applications/${other.slug}/check_access/`)).body.passing).toBe(true);
  });

  // A visitor who returns from a source is no user here yet, whatever the source says of them.
  test('mappings of a source, for a user who is about to sign in', async () => {
    const key = await idpKey();
    const saml = samlWalk(server, () => key);
    const expression = burning(15);
    const arriveBy = async (mappings: number) => {
      const user_property_mappings = await Promise.all(
        Array.from({ length: mappings }, async () => {
          const body = { name: crypto.randomUUID(), expression };
          return (await server().admin.post('/propertymappings/source/saml/', body)).body.pk;
        }),
      );
      const { slug } = await saml.source({ user_property_mappings });
      return saml.arrive(slug);
    };
    const few = await arriveBy(2);
    expect([few.status, few.location]).toEqual([302, expect.stringContaining('/if/flow/default-source-enrollment/')]);
    const many = await arriveBy(12);
    expect(many.status).toBe(400);
    const reported = (await lastEvents(server(), 50)).filter(
      ({ action, context }) => action === 'configuration_error' && context.path?.startsWith('/source/saml/'),
    );
    expect(reported.map(({ context }) => context.message)).toContainEqual(
      expect.stringContaining('took too long together'),
    );
  });
});

/** An expression that takes about so many milliseconds of processor time here. */
function burning(milliseconds: number): string {
  const sandbox = createSandbox();
  const loops = (count: number) => `let n = 0; for (let i = 0; i < ${count}; i++) n += i % 7; return {}`;
  const trial = 200_000;
  sandbox.run(loops(1), { globals: {} });
  const before = process.threadCpuUsage();
  sandbox.run(loops(trial), { globals: {}, timeMs: 10_000 });
  const { user, system } = process.threadCpuUsage(before);
  return loops(Math.ceil((trial * milliseconds * 1_000) / (user + system)));
}
