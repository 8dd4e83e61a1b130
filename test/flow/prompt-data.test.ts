import { expect, test } from 'vitest';
import { eventsDuring } from '../support/events.ts';
import { openBrowser } from '../support/flow-client.ts';
import { made, makePrompt, makeWalk, unique } from '../support/make-walk.ts';
import { describeOnSqlite } from '../support/server.ts';

type Prompt = [key: string, type: string, values?: Record<string, unknown>];

describeOnSqlite('prompt data', (server) => {
  const makeFields = async (prompts: readonly Prompt[]) => {
    const fields: string[] = [];
    for (const [order, [key, type, values]] of prompts.entries())
      fields.push(await makePrompt(server(), key, type, { required: false, order, ...values }));
    return fields;
  };

  /** An enrolment by invitation that asks these prompts; the browser has opened it. */
  async function invited(fixed_data: Record<string, unknown>, prompts: readonly Prompt[]) {
    const { pk: flow, slug } = await makeWalk(
      server(),
      [['invitation/stages'], ['prompt/stages', { fields: await makeFields(prompts) }], ['user_write']],
      { designation: 'enrollment' },
    );
    const { token } = await made(server(), '/stages/invitation/invitations/', {
      name: unique('invited'),
      flow,
      fixed_data,
    });
    const query = `itoken=${token}`;
    const browser = openBrowser(server());
    const { body } = await browser.show(slug, query);
    const shown = new Map<string, Record<string, unknown>>(
      body.fields.map((field: { field_key: string }) => [field.field_key, field]),
    );
    return { shown, answer: (values: Record<string, unknown>) => browser.answer(slug, values, query) };
  }

  async function userNamed(username: string) {
    const { body } = await server().admin.get(`/core/users/?username=${encodeURIComponent(username)}`);
    return body.results[0];
  }

  test.each([
    ['attributes.team', 'red'],
    ['attributes.team', ''],
    ['attributes_team', 'red'],
    ['attributes.team.name', 'red'],
  ])('fixed data wins over the prompt %s answered with “%s”', async (key, typed) => {
    const username = unique('guest');
    const { answer } = await invited({ attributes: { team: 'blue' } }, [
      ['username', 'username'],
      [key, 'text'],
      ['attributes.desk', 'text'],
    ]);
    await answer({ username, [key]: typed, 'attributes.desk': '7' });
    expect((await userNamed(username)).attributes).toEqual({ team: 'blue', desk: '7' });
  });

  test('fixed data may name attributes by their path', async () => {
    const username = unique('guest');
    const { answer } = await invited({ 'attributes.team': 'blue' }, [
      ['username', 'username'],
      ['attributes.team', 'text'],
    ]);
    await answer({ username, 'attributes.team': 'red' });
    expect((await userNamed(username)).attributes).toEqual({ team: 'blue' });
  });

  test('fixed values are shown to read, whatever the type of the prompt', async () => {
    const username = unique('guest');
    const { shown, answer } = await invited(
      { username, attributes: { size: 5, floor: 'b', since: '2030-01-02', news: true, story: 'long' } },
      [
        ['username', 'username'],
        ['attributes.size', 'number'],
        ['attributes.floor', 'dropdown', { placeholder: 'return ["a", "b"]', placeholder_expression: true }],
        ['attributes.since', 'date'],
        ['attributes.news', 'checkbox'],
        ['attributes.story', 'text_area'],
        ['name', 'text'],
      ],
    );
    const facts = [...shown].map(([key, { type, initial_value }]) => [key, type, initial_value]);
    expect(facts).toEqual([
      ['username', 'text_read_only', username],
      ['attributes.size', 'text_read_only', '5'],
      ['attributes.floor', 'text_read_only', 'b'],
      ['attributes.since', 'text_read_only', '2030-01-02'],
      ['attributes.news', 'text_read_only', 'true'],
      ['attributes.story', 'text_area_read_only', 'long'],
      ['name', 'text', ''],
    ]);
    await answer({ username: 'another', 'attributes.size': 6, 'attributes.floor': 'a', name: 'Guest' });
    expect(await userNamed('another')).toBeUndefined();
    const attributes = { size: 5, floor: 'b', since: '2030-01-02', news: true, story: 'long' };
    expect(await userNamed(username)).toMatchObject({ name: 'Guest', attributes });
  });

  test('a fixed user name that is taken is refused with a complaint', async () => {
    const { username } = await server().user();
    const { answer } = await invited({ username }, [['username', 'username']]);
    const { body } = await answer({ username: unique('guest') });
    expect(body.component).toBe('xak-stage-prompt');
    expect(body.response_errors.username).toHaveLength(1);
    expect(body.fields[0]).toMatchObject({ type: 'text_read_only', initial_value: username });
  });

  test('a prompt stores its answer under `attributes_` as under `attributes.`', async () => {
    const username = unique('guest');
    const prompts: Prompt[] = [
      ['username', 'username'],
      ['attributes_team', 'text'],
      ['attributes_office.floor', 'number'],
      ['attributes.office.room_name', 'text'],
    ];
    const { answer } = await invited({}, prompts);
    await answer({
      username,
      attributes_team: 'red',
      'attributes_office.floor': 3,
      'attributes.office.room_name': 'Ada',
    });
    expect((await userNamed(username)).attributes).toEqual({ team: 'red', office: { floor: 3, room_name: 'Ada' } });
  });

  test('later prompts, policies and expressions find attributes in one place', async () => {
    const { pk: policy } = await made(server(), '/policies/expression/', {
      name: unique('policy'),
      expression: 'return context.prompt_data.attributes.team === "red"',
    });
    const expression = 'return prompt_context.attributes.team';
    const [first, second] = [
      await makeFields([
        ['attributes.team', 'text'],
        ['attributes.password', 'text'],
      ]),
      await makeFields([
        ['attributes_team', 'text'],
        ['again', 'text', { initial_value: expression, initial_value_expression: true }],
        [
          'leak',
          'text',
          { initial_value: 'return prompt_context.attributes.password ?? "none"', initial_value_expression: true },
        ],
      ]),
    ];
    const { slug } = await makeWalk(server(), [
      ['prompt/stages', { fields: first, validation_policies: [policy] }],
      ['prompt/stages', { fields: second }],
    ]);
    const browser = openBrowser(server());
    await browser.show(slug);
    const refused = await browser.answer(slug, { 'attributes.team': 'green', 'attributes.password': 'secret' });
    expect(refused.body.response_errors.non_field_errors[0].string).toBe('These values are not accepted.');
    const { body } = await browser.answer(slug, { 'attributes.team': 'red', 'attributes.password': 'secret' });
    expect(body.fields.map(({ initial_value }: { initial_value: string }) => initial_value)).toEqual([
      'red',
      'red',
      'none',
    ]);
  });

  test('two passwords have to be equal; of three, none is compared', async () => {
    const walkOf = async (...keys: string[]) => {
      const { slug } = await makeWalk(server(), [
        ['prompt/stages', { fields: await makeFields(keys.map((key): Prompt => [key, 'password'])) }],
      ]);
      const browser = openBrowser(server());
      await browser.show(slug);
      return (values: Record<string, string>) => browser.answer(slug, values);
    };
    const two = await walkOf('password', 'password_repeat');
    const refused = await two({ password: 'one horse', password_repeat: 'another' });
    expect(refused.body.response_errors.non_field_errors[0].string).toBe("Passwords don't match.");
    expect((await two({ password: 'one horse', password_repeat: 'one horse' })).body.component).toBe(
      'xak-flow-redirect',
    );
    const three = await walkOf('old_password', 'password', 'password_repeat');
    const values = { old_password: 'old horse', password: 'one horse', password_repeat: 'one horse' };
    expect((await three(values)).body.component).toBe('xak-flow-redirect');
  });

  test('policies that validate prompts leave their events', async () => {
    const policy = async (expression: string, more: Record<string, unknown> = {}) =>
      (await made(server(), '/policies/expression/', { name: unique('policy'), expression, ...more })).pk;
    const walkWith = async (pk: string) => {
      const fields = await makeFields([['word', 'text']]);
      const { slug } = await makeWalk(server(), [['prompt/stages', { fields, validation_policies: [pk] }]]);
      const browser = openBrowser(server());
      await browser.show(slug);
      return eventsDuring(server(), async () => void (await browser.answer(slug, { word: 'yes' })));
    };
    const broken = await policy('throw new Error("inner secret")');
    const failure = await walkWith(broken);
    expect(failure.map(({ action }) => action)).toEqual(['policy_exception']);
    expect(failure[0]?.context).toMatchObject({ policy_uuid: broken.replaceAll('-', '') });
    expect(JSON.stringify(failure)).not.toContain('"word"');
    const logged = await walkWith(await policy('return true', { execution_logging: true }));
    expect(logged.map(({ action }) => action)).toEqual(['policy_execution']);
    const custom = await walkWith(await policy('create_event("form_filled", { by: "guest" }); return true'));
    expect(custom.map(({ action }) => action)).toEqual([expect.stringContaining('custom')]);
  });

  test('shows what its password policies require of a new password, and nothing else of them', async () => {
    const policy = async (values: Record<string, unknown>) =>
      (await made(server(), '/policies/password/', { name: unique('rules'), ...values })).pk;
    const expression = { name: unique('policy'), expression: 'return true' };
    const validation_policies = [
      await policy({ length_min: 8, amount_symbols: 1, symbol_charset: '!?', error_message: 'a secret hint' }),
      await policy({ length_min: 20, amount_digits: 2, check_have_i_been_pwned: true }),
      await policy({ length_min: 30, check_static_rules: false }),
      await policy({ length_min: 40, password_field: 'other' }),
      (await made(server(), '/policies/expression/', expression)).pk,
    ];
    const shownWith = async (types: readonly Prompt[]) => {
      const fields = await makeFields(types);
      const { slug } = await makeWalk(server(), [['prompt/stages', { fields, validation_policies }]]);
      return (await openBrowser(server()).show(slug)).body;
    };
    const shown = await shownWith([['password', 'password']]);
    const rule = (kind: string, at_least: number, characters = '') => ({
      field_key: 'password',
      kind,
      at_least,
      characters,
    });
    expect(shown.password_rules).toHaveLength(3);
    expect(shown.password_rules).toEqual(
      expect.arrayContaining([rule('length', 20), rule('digits', 2), rule('symbols', 1, '!?')]),
    );
    expect(JSON.stringify(shown)).not.toMatch(/a secret hint|rules-|policy-|pwned/);
    expect(Object.keys(await shownWith([['password', 'text']]))).not.toContain('password_rules');
  });

  test('a password policy without a message names the rules that are broken', async () => {
    const { pk } = await made(server(), '/policies/password/', {
      name: unique('rules'),
      length_min: 20,
      amount_digits: 2,
      amount_lowercase: 1,
    });
    const fields = await makeFields([['password', 'password']]);
    const { slug } = await makeWalk(server(), [['prompt/stages', { fields, validation_policies: [pk] }]]);
    const browser = openBrowser(server(), { 'accept-language': 'de' });
    await browser.show(slug);
    const { body } = await browser.answer(slug, { password: 'a horse' });
    expect(body.response_errors.non_field_errors.map(({ string }: { string: string }) => string)).toEqual([
      'Das Passwort braucht mindestens 20 Zeichen.',
      'Das Passwort braucht mindestens 2 Ziffern.',
    ]);
  });
});
