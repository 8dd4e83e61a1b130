import { expect, test } from 'vitest';
import { eventsDuring } from '../support/events.ts';

import { openBrowser } from '../support/flow-client.ts';
import { bindExpression, made, makeWalk, unique } from '../support/make-walk.ts';
import { describeOnSqlite } from '../support/server.ts';

describeOnSqlite('expressions of policies', (server) => {
  async function tried(expression: string, user?: number, context: Record<string, unknown> = {}) {
    const policy = await made(server(), '/policies/expression/', { name: unique('policy'), expression });
    const pk = user ?? (await server().admin.get('/core/users/me/')).body.user.pk;
    return (await server().admin.post(`/policies/all/${policy.pk}/test/`, { user: pk, context })).body;
  }
  const walkWith = async (expression: string) => {
    const walk = await makeWalk(server(), [['dummy']]);
    await bindExpression(server(), walk.pk, expression);
    return walk.slug;
  };

  test.each([
    'return user.username === "admin" && request.user.username === user.username',
    'return context.word === "x" && request.context.word === "x"',
    'return http_request.method === "POST" && /test/.test(http_request.path) && request.http_request.host === http_request.host',
    'return typeof http_request.user_agent === "string" && http_request.request_id.length > 10',
    'return client_ip === http_request.client_ip && ip_in(client_ip, "127.0.0.0/8")',
    'return ip_in("2001:db8::7", ["10.0.0.0/8", "2001:db8::/32"]) && !ip_in("10.0.0.1", [])',
    'return geoip === null && asn === null && is_sso === false',
    'return regex_match("abc", "a.c") && !regex_match("xabc", "abc") && regex_replace("a-b-c", "-", "+") === "a+b+c"',
    'return list_flatten([7, 8]) === 7 && list_flatten("x") === "x" && slugify("Über uns!") === "uber-uns"',
    'return True && !False && None === null',
  ])('%s is true', async (expression) => {
    expect(await tried(expression, undefined, { word: 'x' })).toMatchObject({ passing: true });
  });

  test('is_group_member covers groups and their parents', async () => {
    const above = await made(server(), '/core/groups/', { name: unique('above') });
    const below = await made(server(), '/core/groups/', { name: unique('below'), parent: above.pk });
    const { pk } = await server().user([], { groups: [below.pk] });
    const isIn = async (group: string) => (await tried(`return is_group_member(user, ${group})`, pk)).passing;
    expect(await isIn(JSON.stringify(above.name))).toBe(true);
    expect(await isIn(JSON.stringify({ pk: below.pk }))).toBe(true);
    expect(await isIn(JSON.stringify({ pk: below.pk, name: above.name }))).toBe(false);
    for (const nobodys of ['"nothing"', '{}', 'null', 'undefined', '[]', '7', '{constructor: Object}']) {
      expect([nobodys, await isIn(nobodys)]).toEqual([nobodys, false]);
    }
    expect((await tried('return is_group_member(null, "x")', pk)).passing).toBe(false);
  });

  test('create_event writes a custom event with the decision, with secrets masked', async () => {
    const slug = await walkWith('create_event("login", {word: "seen", password: "hunter2"}); return true');
    const events = await eventsDuring(server(), async () => {
      expect((await openBrowser(server()).show(slug)).body.component).toBe('xak-stage-dummy');
    });
    expect(events.map(({ action }) => action)).toEqual(['custom_login']);
    expect(events[0]?.context).toMatchObject({ word: 'seen', password: '********************' });
    expect(events[0]?.text).not.toContain('hunter2');
  });

  test('create_event writes nothing for a test run or a policy that fails', async () => {
    const quiet = await eventsDuring(server(), async () => {
      expect(await tried('create_event("x"); return true')).toMatchObject({ passing: true });
    });
    expect(quiet.filter(({ action }) => action.startsWith('custom_'))).toEqual([]);
    const slug = await walkWith('create_event("x"); throw new Error("broken")');
    const broken = await eventsDuring(server(), async () => void (await openBrowser(server()).show(slug)));
    expect(broken.map(({ action }) => action)).toEqual(['policy_exception']);
  });

  test.each([
    'create_event("")',
    'create_event("a b")',
    'create_event("x".repeat(200))',
    'create_event("x", [])',
    'create_event("x", "text")',
    'create_event("x", {a: "x".repeat(20000)})',
    'create_event("x", {a: "\\u0000"})',
    'for (let i = 0; i < 11; i++) create_event("x")',
  ])('%s is refused', async (statement) => {
    const result = await tried(`${statement}; return true`);
    expect(result.passing).toBe(false);
    expect(result.messages[0]).toMatch(/event/);
  });

  test.each([
    ['an endless loop', 'for (;;);'],
    ['a memory bomb', 'const a = []; for (;;) a.push(new Uint8Array(1e6))'],
    ['deep recursion', 'const f = () => f() + 1; return f()'],
    ['a huge text', 'let s = "x"; for (;;) s += s'],
    ['a bomb of a pattern', 'return /^(a|a)*$/.test("a".repeat(60) + "b")'],
    ['events without end', 'for (;;) try { create_event("x") } catch {}'],
    ['messages without end', 'for (;;) message("x".repeat(1000))'],
  ])('%s in a flow fails its own evaluation only, while others are served', async (_name, expression) => {
    const slug = await walkWith(expression);
    const good = await walkWith('return true');
    const [bad, ...others] = await Promise.all([
      openBrowser(server()).show(slug),
      ...Array.from({ length: 5 }, () => openBrowser(server()).show(good)),
    ]);
    expect(bad?.body.component).toBe('xak-stage-access-denied');
    for (const answer of others) expect(answer?.body.component).toBe('xak-stage-dummy');
  });
});
