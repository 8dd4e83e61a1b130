import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { uncachedTablesOf } from '../../src/app/uncached-tables.ts';
import { cachedUserFacts } from '../../src/core/mapping/user-facts.ts';
import { openPostgres } from '../../src/platform/db/postgres/postgres.ts';
import { openBrowser, signInFlow } from '../support/flow-client.ts';
import { unique } from '../support/make-walk.ts';
import { makeRelying, mappingsOf, tokensFor } from '../support/oauth2.ts';
import { hasPostgres, startServer, type TestServer } from '../support/server.ts';
import { ofItself, statementsOf } from '../support/statements.ts';
import { databaseProxy } from './database-proxy.ts';

describe.skipIf(!hasPostgres)('cached rows on PostgreSQL', () => {
  let first: TestServer;
  let second: TestServer;
  beforeAll(async () => {
    first = await startServer('postgres');
    second = await startServer('postgres', { env: { DATABASE_URL: first.world.config.databaseUrl ?? '' } });
  });
  afterAll(async () => {
    await second.close();
    await first.close();
  });

  const flow = '/flows/instances/default-authentication-flow/';
  const titleAt = async (server: TestServer) => {
    const { body } = await server.nobody.get('/flows/executor/default-authentication-flow/?query=');
    return Number(body.flow_info.title);
  };
  const setTitle = async (server: TestServer, title: number) => {
    expect((await server.admin.patch(flow, { title: String(title) })).status).toBe(200);
  };

  test('are invalidated by changes of every table except those that users change', async () => {
    const uncached = new Set(uncachedTablesOf(first.app.kinds));
    const { rows } = await sql<{ name: string; isStamped: boolean }>`select c.relname as name,
      exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname = 'stamp') as "isStamped" from pg_class c
      where c.relnamespace = cast(current_schema() as regnamespace) and c.relkind = 'r'`.execute(first.world.db.read);
    expect(rows.filter(({ name, isStamped }) => isStamped === uncached.has(name))).toEqual([]);
    const names = new Set(rows.map(({ name }) => name));
    expect([...uncached].filter((name) => !names.has(name))).toEqual([]);
    for (const table of ['flows', 'brands', 'provider_oauth2', 'policy_expression'])
      expect(uncached).not.toContain(table);
    for (const table of ['saml_logins', 'device_totp', 'scim_users', 'proxy_sessions'])
      expect(uncached).toContain(table);
  });

  test('are revalidated by one small statement as long as nothing changes', async () => {
    await setTitle(first, 1);
    await titleAt(second);
    const statements = await statementsOf(second, () => titleAt(second), ofItself);
    expect(statements.filter((text) => /from stamps/.test(text))).toHaveLength(1);
    expect(statements.filter((text) => /from flows|from flow_stage_bindings|from policy_bindings/.test(text))).toEqual(
      [],
    );
  });

  test('are never older than a change acknowledged by another instance, under concurrent reads and writes', async () => {
    let acknowledged = 100;
    await setTitle(first, acknowledged);
    let isOver = false;
    const changing = (async () => {
      for (let next = 101; next <= 160; next++) {
        await setTitle(first, next);
        acknowledged = next;
      }
      isOver = true;
    })();
    let reads = 0;
    const reading = Array.from({ length: 3 }, async () => {
      while (!isOver && reads < 600) {
        const least = acknowledged;
        expect(await titleAt(second)).toBeGreaterThanOrEqual(least);
        reads += 1;
      }
    });
    await Promise.all([changing, ...reading]);
    expect(reads).toBeGreaterThan(50);
  });

  test('are revalidated by a read that begins after the request, although requests share reads', async () => {
    const proxy = await databaseProxy(first.world.config.databaseUrl ?? '');
    const db = openPostgres(proxy.url);
    const watched = await db.watch?.((query) => sql`select title from flows`.execute(query));
    proxy.hold();
    const early = db.refresh?.();
    await expect.poll(() => proxy.held).toBeGreaterThan(0);
    await setTitle(first, 200);
    const late = db.refresh?.();
    proxy.back();
    await Promise.all([early, late]);
    expect(watched?.canTell).toBe(true);
    expect(watched?.isCurrent()).toBe(false);
    await db.close();
    await proxy.close();
  });

  test('are revalidated by userinfo in the statement that reads the token', async () => {
    const { body: mapping } = await first.admin.post('/propertymappings/provider/scope/', {
      name: unique('claim'),
      scope_name: 'profile',
      expression: 'return { round: 0 }',
    });
    const openid = await mappingsOf(first, ['openid']);
    const relying = await makeRelying(first, { property_mappings: [...openid, mapping.pk] });
    const ada = await first.user();
    const { access_token } = await tokensFor(first, relying, ada.pk, { scope: ['openid', 'profile'] });
    const headers = { authorization: `Bearer ${access_token}` };
    for (let round = 1; round <= 15; round++) {
      const expression = `return { round: ${round} }`;
      await first.admin.patch(`/propertymappings/provider/scope/${mapping.pk}/`, { expression });
      const { body } = await second.nobody.send('GET', '/application/o/userinfo/', undefined, headers);
      expect(body.round).toBe(round);
    }
  });

  test('are revalidated by an answer to a flow in the statement that reads the walk', async () => {
    for (let round = 300; round < 315; round++) {
      const browser = openBrowser(second);
      await browser.show(signInFlow);
      await setTitle(first, round);
      const { body } = await browser.answer(signInFlow, { uid_field: 'nobody-by-this-name' });
      expect(Number(body.flow_info.title)).toBe(round);
    }
  });

  test('show a change made directly in the database, and never one that was rolled back', async () => {
    await setTitle(first, 1);
    expect(await titleAt(second)).toBe(1);
    const client = new pg.Client({ connectionString: first.world.config.databaseUrl ?? '' });
    await client.connect();
    const update = (title: number) =>
      client.query(`update flows set title = '${title}' where slug = 'default-authentication-flow'`);
    await client.query('begin');
    await update(2);
    expect(await titleAt(second)).toBe(1);
    await client.query('rollback');
    expect(await titleAt(second)).toBe(1);
    await update(3);
    expect(await titleAt(second)).toBe(3);
    await client.end();
  });

  test('are users only as long as each read finds them unchanged', async () => {
    const relying = await makeRelying(first);
    const ada = await first.user();
    const { access_token } = await tokensFor(first, relying, ada.pk, { scope: ['openid', 'profile'] });
    const told = async () => {
      const headers = { authorization: `Bearer ${access_token}` };
      return (await second.nobody.send('GET', '/application/o/userinfo/', undefined, headers)).body;
    };
    const read = () => cachedUserFacts(second.world, ada.pk);
    for (let round = 1; round <= 5; round++) {
      await first.admin.patch(`/core/users/${ada.pk}/`, { name: `Ada ${round}` });
      expect((await told()).name).toBe(`Ada ${round}`);
      const facts = await read();
      expect(facts).toMatchObject({ name: `Ada ${round}` });
      expect(await read()).toBe(facts);
    }
    const name = unique('team');
    const group = (await first.admin.post('/core/groups/', { name, users: [ada.pk] })).body;
    expect((await told()).groups).toEqual([name]);
    await first.admin.delete(`/core/groups/${group.pk}/`);
    expect((await told()).groups).toEqual([]);
    await first.admin.delete(`/core/users/${ada.pk}/`);
    expect(await read()).toBeNull();
    expect((await told()).error).toBe('invalid_token');
  });

  test('do not include users, whose changes would block each other', async () => {
    const { db } = first.world;
    const { rows } = await sql<{
      name: string;
    }>`select c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where t.tgname = 'stamp'`.execute(db.read);
    const names = rows.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['flows', 'policies', 'settings', 'brands', 'applications']));
    for (const busy of ['users', 'user_groups', 'events', 'tokens', 'authenticated_sessions', 'oauth2_access_tokens'])
      expect(names).not.toContain(busy);
  });
});
