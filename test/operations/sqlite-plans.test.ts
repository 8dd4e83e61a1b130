import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { sqlitePlansOf } from '../support/sqlite-plans.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer('sqlite');
});
afterAll(() => server.close());

const plansOf = (path: string, text: string) => sqlitePlansOf(server, path, text);

test.each(['facets', 'volume', 'per_month'])('%s on SQLite reads events of its time alone', async (action) => {
  for (const [sql, plan] of await plansOf(`/events/events/${action}/`, 'from events as t where t.created'))
    expect(plan, sql).toMatch(/^SEARCH t USING .*created>\?/m);
});

test.each(['zj', 'needle'])(
  'a search for %s over all kinds looks up the users of tokens and the like one by one',
  async (term) => {
    for (const [sql, plan] of await plansOf(`/admin/objects/?search=${term}`, 'exists (select 1 from "users"')) {
      expect(plan, sql).toMatch(/^SEARCH t9 USING INTEGER PRIMARY KEY \(rowid=\?\)/m);
      expect(plan, sql).not.toMatch(/^SCAN t9/m);
    }
  },
);

test('a search for a word on SQLite scans no table', async () => {
  const plans = await plansOf('/core/users/?search=needle', 'users_search');
  expect(plans).toHaveLength(1);
  for (const [sql, plan] of plans) expect(plan, sql).not.toMatch(/^SCAN (t|users)$/m);
});

test.each([
  ['/events/events/?action=login&username=somebody', 'events_username'],
  ['/events/events/?action=model_created&context_model_name=group&context_model_pk=1', 'events_model_pk_created'],
  ['/events/events/?brand_name=b&context_authorized_app=1', 'events_authorized_app_created'],
  ['/events/events/?action=login&client_ip=10.0.0.1', 'events_client_ip_created'],
  ['/events/events/?created__gte=2026-01-01T00:00&context_model_pk=1', 'events_model_pk_created'],
  ['/core/users/?is_active=true&email=a%40example.com', 'users_email'],
  ['/core/users/?type=internal&name=Somebody', 'users_name'],
  ['/core/users/?path=users&email=a%40example.com', 'users_email'],
])('%s on SQLite is found by the narrower filter', async (path, index) => {
  const table = index.slice(0, index.indexOf('_'));
  const [[sql, plan] = []] = await plansOf(path, `from "${table}" as "t" where "t"."pk" in`);
  expect(plan, sql).toContain(`USING INDEX ${index} `);
});
