import { expect, test } from 'vitest';
import { describeOnSqlite } from '../support/server.ts';

// Expressions must not run with the server's privileges. The tests beside the sandbox go further; these use the API.
describeOnSqlite('sandbox escape: expressions have no access to the server', (server) => {
  async function run(expression: string, context: Record<string, unknown> = {}) {
    const { admin } = server();
    const made = await admin.post('/policies/expression/', { name: crypto.randomUUID(), expression });
    expect(made.status).toBe(201);
    const me = await admin.get('/core/users/?username=admin');
    return admin.post(`/policies/all/${made.body.pk}/test/`, { user: me.body.results[0].pk, context });
  }

  test.each([
    'return process.env',
    'return require("node:fs").readFileSync("/etc/passwd", "utf8")',
    'return constructor.constructor("return process")().env',
    'return ({}).constructor.constructor("return this.process")().pid',
    'return globalThis.process.exit(1)',
    'return fetch("http://169.254.169.254/")',
    'return new XMLHttpRequest()',
    'return import("node:child_process")',
    'return request.constructor.constructor("return process")()',
    'return this.constructor.constructor("return process.mainModule.require(\\"child_process\\").execSync(\\"id\\")")()',
    'const e = new Error(); return e.constructor.prepareStackTrace.constructor("return process")()',
  ])('%s fails', async (expression) => {
    const { status, body, text } = await run(expression);
    expect(status).toBe(200);
    expect(body.passing).toBe(false);
    expect(text).not.toMatch(/root:|uid=|GATEHOUSE_|node_modules|\/src\//);
    expect((await server().admin.get('/core/users/')).status).toBe(200);
  });

  test.each([
    ['while (true) {}', /longer than 50 ms/],
    ['/(a+)+$/.test("a".repeat(50) + "b"); return true', /longer than 50 ms|took/],
    ['let all = []; for (;;) all.push("x".repeat(1e5) + all.length)', /memory|longer than 50 ms/],
    ['return "x".repeat(1e9)', /memory|invalid string length/i],
    ['const f = () => f(); return f()', /stack|recursion/i],
    ['return Array(3e8).join("x")', /memory|longer than 50 ms|invalid/i],
  ])('%s fails its own evaluation only', async (expression, complaint) => {
    const started = process.cpuUsage();
    const { status, body } = await run(expression);
    const spentMs = process.cpuUsage(started).user / 1000;
    expect(status).toBe(200);
    expect(body.passing).toBe(false);
    expect(body.messages.join(' ')).toMatch(complaint);
    expect(spentMs).toBeLessThan(3000);
    expect((await server().admin.get('/core/users/')).status).toBe(200);
  });

  test('nothing persists from one run to the next', async () => {
    await run(
      'globalThis.kept = "secret"; Array.prototype.includes = () => true; Object.prototype.is_superuser = true; return true',
    );
    const { body } = await run('return typeof kept !== "undefined" || [].includes(1) || ({}).is_superuser === true');
    expect(body.passing).toBe(false);
  });

  test('the user object has no secrets, and changes to it are not stored', async () => {
    const { body } = await run(
      `user.is_superuser = false; user.username = "nobody"; request.context.mark = 1;
       message(Object.keys(user).sort().join(" ")); return true`,
    );
    const [members] = body.messages as string[];
    expect(members).not.toMatch(/(?<!has_)password(?!_change_date)|token|key|hash/);
    const me = await server().admin.get('/core/users/?username=admin');
    expect(me.body.results[0]).toMatchObject({ username: 'admin', is_superuser: true });
  });

  test('context cannot shadow what the server provides', async () => {
    const { body } = await run('return user.username === "admin" && request.user.username === "admin"', {
      user: { username: 'forged' },
      request: { user: { username: 'forged' } },
      __proto__: { username: 'forged' },
    });
    expect(body.passing).toBe(true);
    const mapping = await server().admin.post('/propertymappings/notification/', {
      name: 'names',
      expression: 'return [user, typeof request.user]',
    });
    const tried = await server().admin.post(`/propertymappings/all/${mapping.body.pk}/test/`, {
      context: { user: { username: 'forged' }, request: { user: 'forged' } },
    });
    expect(JSON.parse(tried.body.result)).toEqual([null, 'object']);
  });
});
