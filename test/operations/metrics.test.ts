import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { isLocal } from '../../src/app/metrics-route.ts';
import { describeOnBoth, describeOnSqlite } from '../support/server.ts';

const path = '/-/metrics';

describeOnBoth('a scrape', (server) => {
  test('asks the database once whether it is there', async () => {
    const { db } = server().world;
    const pings: string[] = [];
    const stop = db.onStatement(({ sql }) => {
      if (sql === 'select 1') pings.push(sql);
    });
    await server().nobody.send('GET', path);
    stop();
    // The ping of SQLite is no statement of a query.
    expect(pings).toHaveLength(db.dialect.name === 'postgres' ? 1 : 0);
  });
});

describeOnSqlite('metrics without a token in the settings', (server) => {
  test('are shown to the local machine in the Prometheus format', async () => {
    await server().admin.get('/core/groups/');
    const { status, headers, text } = await server().nobody.send('GET', path);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/plain');
    expect(text).toMatch(
      /^gatehouse_operation_duration_seconds_count\{operation="core_groups_list",status="200"\} 1$/m,
    );
    expect(text).toMatch(/^gatehouse_database_statements_total [1-9]\d*$/m);
    expect(text).toMatch(/^gatehouse_info\{version="\d+\.\d+\.\d+"\} 1$/m);
    expect(text).toMatch(/^gatehouse_process_resident_memory_bytes \d+$/m);
  });

  test('count requests outside the API by route, and faults from the start', async () => {
    const { nobody } = server();
    await nobody.send('POST', '/application/o/token/', {});
    await nobody.send('GET', '/if/flow/no-such-flow/');
    await nobody.send('GET', '/invented/by/a/caller/');
    const { text } = await nobody.send('GET', path);
    const routes = new Set(
      [...text.matchAll(/_request_duration_seconds_count\{route="([^"]*)"/g)].map(([, name]) => name),
    );
    expect([...routes]).toEqual(expect.arrayContaining(['/application/o/token/', '/if/flow/{slug}/', 'none']));
    expect([...routes].filter((name) => name?.includes('invented') || name?.includes('no-such'))).toEqual([]);
    expect(text).toMatch(/^gatehouse_faults_total 0$/m);
    expect(text).toMatch(/^gatehouse_ready 1$/m);
    expect(text).toMatch(/^gatehouse_database_up 1$/m);
    expect(text).toMatch(/^gatehouse_jobs_oldest_retry_seconds 0$/m);
    expect(text).toContain('gatehouse_last_backup_timestamp_seconds');
    expect(text).not.toMatch(/^gatehouse_last_backup_timestamp_seconds/m);
  });

  test('count a request that ends in an unexpected error, wherever it happens', async () => {
    const { db } = server().world;
    await db.write((tx) => sql`alter table provider_oauth2 rename to hidden_providers`.execute(tx));
    const body = 'grant_type=client_credentials&client_id=a&client_secret=b';
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await fetch(`${server().url}/application/o/token/`, { method: 'POST', headers: type, body });
    await db.write((tx) => sql`alter table hidden_providers rename to provider_oauth2`.execute(tx));
    expect(answer.status).toBe(500);
    const { text } = await server().nobody.send('GET', path);
    expect(text).toMatch(/^gatehouse_faults_total 1$/m);
  });

  test('are refused to forwarded requests, whichever header says so', async () => {
    for (const headers of [
      { 'x-forwarded-for': '203.0.113.7' },
      { 'x-forwarded-for': '127.0.0.1' },
      { 'x-forwarded-for': '' },
      { 'x-real-ip': '127.0.0.1' },
      { forwarded: 'for=127.0.0.1' },
      { via: '1.1 proxy' },
    ]) {
      const answer = await server().nobody.send('GET', path, undefined, headers as unknown as Record<string, string>);
      expect(answer.status).toBe(403);
      expect(answer.body).toEqual({
        detail: 'You do not have permission to perform this action.',
        code: 'permission_denied',
      });
    }
  });

  test('are refused to an administrator on another host and to an empty token', async () => {
    const forwarded = { 'x-forwarded-for': '203.0.113.7' };
    expect((await server().admin.send('GET', path, undefined, forwarded)).status).toBe(403);
    const empty = await server().nobody.send('GET', path, undefined, { ...forwarded, authorization: 'Bearer ' });
    expect(empty.status).toBe(403);
  });

  test('are refused to addresses other than loopback', () => {
    const isLocalAt = (clientIp: string) => isLocal({ clientIp, header: () => undefined });
    for (const address of ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1']) expect(isLocalAt(address)).toBe(true);
    for (const address of ['203.0.113.7', '10.0.0.1', '::ffff:10.0.0.1', 'fe80::1', '128.0.0.1', ''])
      expect(isLocalAt(address)).toBe(false);
  });
});

const token = 'a-token-for-the-metrics';

describeOnSqlite(
  'metrics with a token in the settings',
  (server) => {
    test('are shown to anybody with the token, from any address', async () => {
      const ask = (authorization: string) =>
        server().nobody.send('GET', path, undefined, { authorization, 'x-forwarded-for': '203.0.113.8' });
      expect((await ask(`Bearer ${token}`)).status).toBe(200);
      for (const wrong of [`Bearer ${token}x`, `Bearer ${token.slice(0, -1)}`, token, `Basic ${token}`, 'Bearer'])
        expect((await ask(wrong)).status).toBe(403);
    });
  },
  { env: { GATEHOUSE_METRICS_TOKEN: token } },
);

describe('labels of metrics', () => {
  describeOnSqlite('are bounded', (server) => {
    test('whatever paths and methods callers invent', async () => {
      const { admin } = server();
      for (const made of ['/core/users/1/', '/core/users/2/', '/core/users/x/', '/no/such/', '/core/groups/made-up/'])
        await admin.get(made);
      const { text } = await server().nobody.send('GET', path);
      const operations = new Set([...text.matchAll(/operation="([^"]*)"/g)].map(([, name]) => name));
      const known = new Set(server().app.operations.map(({ id }) => id));
      expect([...operations].filter((name) => !known.has(name ?? ''))).toEqual([]);
    });
  });
});
