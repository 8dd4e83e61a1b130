import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { systemCall } from '../../../src/app/system-call.ts';
import { loadUserFacts, type UserFacts } from '../../../src/core/mapping/user-facts.ts';
import { expressions } from '../../../src/kinds/policies/expression/expression.ts';
import { geoIp } from '../../../src/kinds/policies/geoip/geoip.ts';
import { passwordExpiry } from '../../../src/kinds/policies/password-expiry/password-expiry.ts';
import { reputation } from '../../../src/kinds/policies/reputation/reputation.ts';
import { changeScore } from '../../../src/kinds/policies/reputation/score.ts';
import type { Json } from '../../../src/lib/json.ts';
import { createPolicyEngine } from '../../../src/policy/engine.ts';
import type { PolicyMode } from '../../../src/policy/outcome.ts';
import { policyRequest } from '../../../src/policy/request.ts';
import { describeOnBoth } from '../../support/server.ts';

interface Question {
  readonly user?: UserFacts | null;
  readonly context?: Record<string, Json>;
  readonly ip?: string;
  readonly mode?: PolicyMode;
  readonly emptyResult?: boolean;
}

let made = 0;
const unique = (word: string) => `${word} ${++made}`;

describeOnBoth('the policy engine', (server) => {
  const create = async (where: string, body: Record<string, unknown>) => {
    const answer = await server().admin.post(where, body);
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
    return answer.body as Record<string, unknown> & { pk: string };
  };
  const target = async () => (await create('/events/rules/', { name: unique('target') })).pk;
  const expression = async (body: string, values = {}) =>
    (await create('/policies/expression/', { name: unique('expression'), expression: body, ...values })).pk;
  const bind = (values: Record<string, unknown>) => create('/policies/bindings/', { order: ++made, ...values });
  const factsOf = (pk: number) => {
    const { world } = server();
    return loadUserFacts(world.db.read, pk);
  };

  async function ask(
    targetPk: string,
    { user = null, context = {}, ip = '198.51.100.7', mode = 'all', emptyResult }: Question = {},
  ) {
    const { world, app } = server();
    const call = systemCall(world.db, app.resourceWorld, world.clock.now());
    const request = { ...policyRequest(call, { user, context }), clientIp: ip };
    const engine = createPolicyEngine([passwordExpiry, reputation(world), geoIp(world), expressions(world)]);
    const input = { call, request, targetPk, mode, ...(emptyResult !== undefined && { emptyResult }) };
    const { messages, ...result } = await engine.evaluateTarget(input);
    return { ...result, messages: messages.map(String) };
  }
  const eventsDuring = async (action: string, policy: string) => {
    const { body } = await server().admin.get(`/events/events/?action=${action}&page_size=1000`);
    return body.results.filter(
      ({ context }: { context: { policy_uuid: string } }) => context.policy_uuid === policy.replaceAll('-', ''),
    );
  };

  test('a target without bindings passes unless emptyResult says otherwise', async () => {
    const pk = await target();
    expect(await ask(pk)).toEqual({ passing: true, messages: [], logs: [], deciders: [] });
    expect((await ask(pk, { emptyResult: false })).passing).toBe(false);
    await bind({ target: pk, policy: await expression('return false'), enabled: false });
    expect((await ask(pk)).passing).toBe(true);
  });

  test.each([
    ['all', ['return true', 'return true'], true],
    ['all', ['return true', 'return false'], false],
    ['any', ['return false', 'return true'], true],
    ['any', ['return false', 'return false'], false],
  ] as const)('mode %s of %j is %s', async (mode, bodies, passing) => {
    const pk = await target();
    for (const body of bodies) await bind({ target: pk, policy: await expression(body) });
    expect((await ask(pk, { mode })).passing).toBe(passing);
  });

  test('messages come in the order of the bindings', async () => {
    const pk = await target();
    await bind({ target: pk, order: 20, policy: await expression('message("second"); return false') });
    await bind({ target: pk, order: 10, policy: await expression('message("first"); return true') });
    expect(await ask(pk)).toMatchObject({ passing: false, messages: ['first', 'second'] });
  });

  test('group bindings match members of child groups, user bindings one user, and neither an anonymous caller', async () => {
    const { user } = server();
    const above = await create('/core/groups/', { name: unique('above') });
    const below = await create('/core/groups/', { name: unique('below'), parent: above.pk });
    const member = await factsOf((await user([], { groups: [below.pk] })).pk);
    const other = await factsOf((await user()).pk);
    const byGroup = await target();
    await bind({ target: byGroup, group: above.pk });
    const byUser = await target();
    await bind({ target: byUser, user: member?.pk });
    for (const pk of [byGroup, byUser]) {
      expect((await ask(pk, { user: member })).passing).toBe(true);
      expect((await ask(pk, { user: other })).passing).toBe(false);
      expect((await ask(pk, { user: null })).passing).toBe(false);
    }
    const negated = await target();
    await bind({ target: negated, group: above.pk, negate: true });
    expect((await ask(negated, { user: member })).passing).toBe(false);
    expect((await ask(negated, { user: other })).passing).toBe(true);
  });

  test('a policy that throws gives the failure result of its binding, even when negated', async () => {
    const throwing = await expression('return user.username.length > 0');
    const strict = await target();
    await bind({ target: strict, policy: throwing });
    expect(await ask(strict)).toMatchObject({
      passing: false,
      messages: ['The policy could not be evaluated.'],
      logs: [{ level: 'warning', text: expect.stringContaining('TypeError') }],
    });
    const negated = await target();
    await bind({ target: negated, policy: throwing, negate: true });
    expect((await ask(negated)).passing).toBe(false);
    const lenient = await target();
    await bind({ target: lenient, policy: throwing, failure_result: true });
    expect((await ask(lenient)).passing).toBe(true);
    const events = await eventsDuring('policy_exception', throwing);
    expect(events).toHaveLength(3);
    expect(events[0].context.message).toContain('TypeError');
  });

  test('executions are recorded where enabled, without answers to prompts', async () => {
    const logged = await expression('return true', { execution_logging: true });
    const silent = await expression('return true');
    const pk = await target();
    await bind({ target: pk, policy: logged });
    await bind({ target: pk, policy: silent });
    await ask(pk, { context: { prompt_data: { answer: 'the blue door' } } });
    const events = await eventsDuring('policy_execution', logged);
    expect(events).toHaveLength(1);
    expect(events[0].context.result).toEqual({ passing: true, messages: [] });
    expect(JSON.stringify(events)).not.toContain('blue door');
    expect(await eventsDuring('policy_execution', silent)).toEqual([]);
  });

  test('expressions see the user, the context and the request', async () => {
    const { user } = server();
    const group = await create('/core/groups/', { name: unique('known') });
    const facts = await factsOf((await user([], { groups: [group.pk], email: 'ada@example.org' })).pk);
    const pk = await target();
    await bind({
      target: pk,
      policy: await expression(
        `return user.groups[0].name === ${JSON.stringify(group.name)} && request.user.email === "ada@example.org"
          && context.sso === true && request.http_request.method === "SYSTEM" && user.password === undefined`,
      ),
    });
    expect((await ask(pk, { user: facts, context: { sso: true } })).passing).toBe(true);
  });

  test('an expired password is refused, and disabled unless the policy only denies', async () => {
    const { user, world, admin } = server();
    const person = await user();
    const longAgo = new Date(Date.now() - 45.5 * 86_400_000).toISOString().replace('Z', '000Z');
    await world.db.write((tx) =>
      sql`update users set password = 'a hash', password_change_date = ${longAgo} where pk = ${person.pk}`.execute(tx),
    );
    const passwordOf = async () =>
      (await sql<{ password: string }>`select password from users where pk = ${person.pk}`.execute(world.db.read))
        .rows[0]?.password;
    const facts = await factsOf(person.pk);
    const expiry = (values: Record<string, unknown>) =>
      create('/policies/password_expiry/', { name: unique('expiry'), ...values });

    const young = await target();
    await bind({ target: young, policy: (await expiry({ days: 46 })).pk });
    expect((await ask(young, { user: facts })).passing).toBe(true);
    const denying = await target();
    await bind({ target: denying, policy: (await expiry({ days: 45, deny_only: true })).pk });
    expect(await ask(denying, { user: facts })).toMatchObject({ passing: false, messages: ['Password has expired.'] });
    const strict = await expiry({ days: 30 });
    const tried = await admin.post(`/policies/all/${strict.pk}/test/`, { user: person.pk });
    expect(tried.body.passing).toBe(false);
    expect(await passwordOf()).toBe('a hash');
    const changing = await target();
    await bind({ target: changing, policy: strict.pk });
    expect(await ask(changing, { user: facts })).toMatchObject({
      passing: false,
      messages: ['Password expired 15 days ago. Please update your password.'],
    });
    expect(await passwordOf()).toBe('!');
    expect((await ask(changing, { user: null })).passing).toBe(false);
  });

  test('a bad score passes, by address or by name, and expired scores are ignored', async () => {
    const { user, world } = server();
    const person = await user();
    const facts = await factsOf(person.pk);
    const ip = '203.0.113.99';
    const past = new Date(Date.now() - 2 * 86_400_000).toISOString().replace('Z', '000Z');
    const change = (identifier: string, by: number, now = world.clock.now()) =>
      world.db.write((tx) => changeScore(tx, world.geo, { identifier, ip, by, now }));
    const reputationTarget = async (values: Record<string, unknown>) => {
      const pk = await target();
      const policy = await create('/policies/reputation/', { name: unique('reputation'), threshold: -3, ...values });
      await bind({ target: pk, policy: policy.pk });
      return pk;
    };
    const byAddress = await reputationTarget({ check_username: false });
    const byName = await reputationTarget({ check_ip: false });
    await change('somebody', -9, past);
    expect((await ask(byAddress, { ip })).passing).toBe(false);
    for (let attempt = 0; attempt < 3; attempt++) await change(person.username, -1);
    expect((await ask(byAddress, { ip })).passing).toBe(true);
    expect((await ask(byAddress, { ip: '203.0.113.98' })).passing).toBe(false);
    expect((await ask(byName, { ip: '203.0.113.98', user: facts })).passing).toBe(true);
    await change(person.username, 1);
    expect((await ask(byName, { user: facts })).passing).toBe(false);
  });

  test('addresses match by country, and an unknown address does not pass', async () => {
    const { world } = server();
    const ip = '8.8.8.8';
    expect(world.geo.locate(ip)?.country).toBe('US');
    const geoTarget = async (values: Record<string, unknown>) => {
      const pk = await target();
      const policy = await create('/policies/geoip/', { name: unique('geoip'), ...values });
      await bind({ target: pk, policy: policy.pk });
      return pk;
    };
    const home = await geoTarget({ countries: ['US', 'CA'] });
    expect((await ask(home, { ip })).passing).toBe(true);
    const abroad = await geoTarget({ countries: ['NZ'] });
    expect(await ask(abroad, { ip })).toMatchObject({
      passing: false,
      messages: ['Client IP is not in an allowed country.'],
    });
    expect(await ask(home, { ip: '192.168.1.1' })).toMatchObject({
      passing: false,
      messages: ['GeoIP: client IP address not found in City database.'],
    });
    // There is no database of networks here: the country decides.
    expect((await ask(await geoTarget({ countries: ['US'], asns: [64500] }), { ip })).passing).toBe(true);
    expect(await ask(await geoTarget({ countries: ['NZ'], asns: [64500] }), { ip })).toMatchObject({
      passing: false,
      messages: ['GeoIP: client IP not found in ASN database.'],
    });
    const networks = await geoTarget({ countries: [], asns: [64500] });
    expect((await ask(networks, { ip })).messages).toEqual(['GeoIP: client IP not found in ASN database.']);
    expect((await ask(await geoTarget({ countries: [] }), { ip: '192.168.1.1' })).passing).toBe(true);
  });
});
