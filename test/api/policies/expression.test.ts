import { expect, test } from 'vitest';
import { eventsAbout } from '../../support/events.ts';

import { describeOnBoth } from '../../support/server.ts';

const path = '/policies/expression/';

describeOnBoth('expression policies', (server) => {
  test('store the trimmed body of a function', async () => {
    const { admin } = server();
    const made = await admin.post(path, {
      name: 'ada only',
      expression: '\n return request.user.username === "ada"\n',
    });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      pk: expect.any(String),
      name: 'ada only',
      execution_logging: false,
      component: 'xak-policy-expression-form',
      verbose_name: 'Expression Policy',
      verbose_name_plural: 'Expression Policies',
      meta_model_name: 'svc_policies_expression.expressionpolicy',
      bound_to: 0,
      expression: 'return request.user.username === "ada"',
    });
    expect((await eventsAbout(server(), made.body.pk)).map(({ action }) => action)).toEqual(['model_created']);
    expect((await admin.get(`${path}?search=ada+only`)).body.results).toEqual([made.body]);
  });

  test.each([
    ['return (', 1],
    ['return 1\nreturn )', 2],
    ['} function f() {', 1],
    ['import os', 1],
  ])('%j is refused, with the line of the mistake', async (expression, line) => {
    const { status, body } = await server().admin.post(path, { name: 'broken', expression });
    expect(status).toBe(400);
    expect(body.expression[0]).toMatch(new RegExp(`^Expression Syntax Error: .+ \\(line ${line}\\)$`));
  });

  test('only syntax is checked on write: runtime errors are stored', async () => {
    const made = await server().admin.post(path, { name: 'fails later', expression: 'return nothing.of.this' });
    expect(made.status).toBe(201);
  });

  test.each([
    [{}, { name: ['This field is required.'], expression: ['This field is required.'] }],
    [{ name: 'x', expression: '  ' }, { expression: ['This field may not be blank.'] }],
    [{ name: 'x', expression: null }, { expression: ['This field may not be null.'] }],
    [{ name: 'x', expression: ['return 1'] }, { expression: ['Not a valid string.'] }],
    [{ name: 'x', expression: 'return "\0"' }, { expression: ['Null characters are not allowed.'] }],
  ])('%j is refused', async (body, complaints) => {
    const answer = await server().admin.post(path, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(complaints);
  });

  test('an oversized expression is refused', async () => {
    const answer = await server().admin.post(path, { name: 'long', expression: `return "${'x'.repeat(70_000)}"` });
    expect(answer.status).toBe(400);
    expect(answer.body.expression[0]).toContain('longer than');
  });

  test('creating an expression policy takes the permission to add them', async () => {
    const { nobody, user } = server();
    const body = { name: 'forbidden', expression: 'return true' };
    expect((await nobody.post(path, body)).status).toBe(403);
    const viewer = await user(['svc_policies_expression.view_expressionpolicy']);
    const refused = await viewer.api.post(path, body);
    expect([refused.status, refused.body.required]).toEqual([403, 'svc_policies_expression.add_expressionpolicy']);
    const adder = await user(['svc_policies_expression.add_expressionpolicy']);
    expect((await adder.api.post(path, body)).status).toBe(201);
  });
});

describeOnBoth('trying a policy', (server) => {
  const make = async (name: string, expression: string) =>
    (await server().admin.post(path, { name, expression })).body.pk as string;
  const attempt = (pk: string, body: unknown, api = server().admin) => api.post(`/policies/all/${pk}/test/`, body);

  test('shows whether it passes, its messages and its log', async () => {
    const subject = await server().user([], { username: 'subject', attributes: { floor: 3 } });
    const pk = await make(
      'tells',
      'log("floor", user.attributes.floor); message("Hello " + request.user.username); return context.floor === user.attributes.floor',
    );
    const good = await attempt(pk, { user: subject.pk, context: { floor: 3 } });
    expect(good.status).toBe(200);
    expect(good.body).toEqual({
      passing: true,
      messages: ['Hello subject'],
      log_messages: [
        {
          timestamp: expect.stringMatching(/Z$/),
          log_level: 'info',
          logger: 'gatehouse.policy',
          event: 'floor 3',
          attributes: { policy: 'tells' },
        },
      ],
    });
    expect((await attempt(pk, { user: subject.pk })).body.passing).toBe(false);
  });

  test.each(['return []', 'return {}', 'return 0', 'return ""', 'return null', 'return None', 'let x = 1'])(
    '%s does not pass',
    async (expression) => {
      const subject = await server().user();
      const pk = await make(`falsy ${crypto.randomUUID()}`, expression);
      expect((await attempt(pk, { user: subject.pk })).body).toMatchObject({ passing: false, messages: [] });
    },
  );

  test('shows an error to the author and records no event', async () => {
    const subject = await server().user();
    const pk = await make('throws', 'return nobody.knows');
    const { body } = await attempt(pk, { user: subject.pk });
    expect(body.passing).toBe(false);
    expect(body.messages).toEqual([expect.stringContaining('ReferenceError')]);
    const { body: events } = await server().admin.get('/events/events/?action=policy_exception');
    expect(events.results).toEqual([]);
  });

  test('requires a user whom the caller may view', async () => {
    const { user } = server();
    const subject = await user();
    const pk = await make('seen users only', 'return true');
    const policyRights = ['view', 'change'].map((verb) => `svc_policies_expression.${verb}_expressionpolicy`);
    const author = await user(policyRights);
    const invisible = await attempt(pk, { user: subject.pk }, author.api);
    expect(invisible.status).toBe(400);
    expect(invisible.body).toEqual({ user: [`Invalid pk "${subject.pk}" - object does not exist.`] });
    const seeing = await user([...policyRights, 'svc_core.view_user']);
    expect((await attempt(pk, { user: subject.pk }, seeing.api)).body.passing).toBe(true);
    expect((await attempt(pk, {})).body).toEqual({ user: ['This field is required.'] });
    expect((await attempt(pk, { user: subject.pk, context: [] })).status).toBe(400);
  });
});
