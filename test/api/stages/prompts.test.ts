import { expect, test } from 'vitest';
import { describeOnBoth } from '../../support/server.ts';

const path = '/stages/prompt/prompts/';
const types = [
  'text',
  'text_area',
  'text_read_only',
  'text_area_read_only',
  'username',
  'email',
  'password',
  'number',
  'checkbox',
  'radio-button-group',
  'dropdown',
  'date',
  'date-time',
  'file',
  'separator',
  'hidden',
  'static',
  'xak-locale',
];

describeOnBoth('prompts', (server) => {
  const body = (name: string, more = {}) => ({ name, field_key: name, label: 'L', type: 'text', ...more });

  test('every type can be asked for, and others not', async () => {
    for (const type of types) {
      const { status, body: made } = await server().admin.post(path, body(`type-${type}`, { type }));
      expect([type, status]).toEqual([type, 201]);
      expect(made).toMatchObject({ type, required: true, order: 0, placeholder: '', initial_value: '', sub_text: '' });
    }
    expect((await server().admin.post(path, body('x', { type: 'colour' }))).body).toEqual({
      type: [expect.stringContaining('"colour" is not a valid choice.')],
    });
  });

  test('missing and duplicate members of prompts are refused', async () => {
    expect((await server().admin.post(path, {})).body).toEqual({
      name: ['This field is required.'],
      field_key: ['This field is required.'],
      label: ['This field is required.'],
      type: ['This field is required.'],
    });
    await server().admin.post(path, body('once'));
    expect((await server().admin.post(path, body('once'))).body).toEqual({
      name: ['Prompt with this name already exists.'],
    });
  });

  test('expressions must parse, but only where they are meant to be run', async () => {
    const text = 'return (';
    expect((await server().admin.post(path, body('plain', { placeholder: text }))).status).toBe(201);
    const refused = await server().admin.post(
      path,
      body('run', {
        placeholder: text,
        placeholder_expression: true,
        initial_value: 'return 1 +',
        initial_value_expression: true,
      }),
    );
    expect(refused.status).toBe(400);
    expect(Object.keys(refused.body)).toEqual(['placeholder', 'initial_value']);
    expect(refused.body.placeholder[0]).toMatch(/^Expression Syntax Error: .+ \(line 1\)$/);
    // Switching a stored text to an expression asks the same.
    const stored = (await server().admin.get(`${path}?name=plain`)).body.results[0];
    const switched = await server().admin.patch(`${path}${stored.pk}/`, { placeholder_expression: true });
    expect(switched.status).toBe(400);
  });

  test('prompts are filtered and searched', async () => {
    await server().admin.post(
      path,
      body('fa', { label: 'Lab', placeholder: 'Place', type: 'hidden', field_key: 'fk' }),
    );
    const found = async (query: string) =>
      (await server().admin.get(`${path}?${query}`)).body.results.map(({ name }: { name: string }) => name);
    for (const query of ['field_key=fk', 'label=Lab', 'placeholder=Place', 'name=fa', 'search=plac+lab&type=hidden']) {
      expect([query, await found(query)]).toEqual([query, ['fa']]);
    }
    expect((await server().admin.get(`${path}?type=colour`)).status).toBe(400);
  });

  test('a preview shows the prompt to its author as a flow would', async () => {
    const preview = (more: object) => server().admin.post(`${path}preview/`, body('previewed', more));
    const shown = async (more: object) => {
      const { status, body: challenge } = await preview(more);
      expect(status).toBe(200);
      expect(challenge.component).toBe('xak-stage-prompt');
      expect(challenge.fields).toHaveLength(1);
      return challenge.fields[0];
    };
    expect(await shown({ placeholder: 'P', initial_value: 'V', sub_text: 'S', order: 3, required: false })).toEqual({
      field_key: 'previewed',
      label: 'L',
      type: 'text',
      required: false,
      placeholder: 'P',
      initial_value: 'V',
      order: 3,
      sub_text: 'S',
      choices: null,
    });
    expect(
      await shown({
        placeholder: 'return request.user.name',
        placeholder_expression: true,
        initial_value: 'return user.username',
        initial_value_expression: true,
      }),
    ).toMatchObject({ placeholder: 'Gatehouse Default Admin', initial_value: 'admin' });
    expect(
      await shown({
        type: 'dropdown',
        placeholder: 'return ["one", "two"]',
        placeholder_expression: true,
        initial_value: 'two',
      }),
    ).toMatchObject({ choices: ['one', 'two'], initial_value: 'two', placeholder: '' });
    expect(await shown({ type: 'radio-button-group', placeholder: 'only' })).toMatchObject({
      choices: ['only'],
      initial_value: 'only',
    });
    // Nothing was stored, and an existing name is no obstacle.
    expect((await server().admin.get(`${path}?name=previewed`)).body.results).toEqual([]);
  });

  test('a preview tells of expressions that fail, and of bodies that are wrong', async () => {
    const preview = (more: object) => server().admin.post(`${path}preview/`, body('p', more));
    const failing = await preview({ initial_value: 'return nothing.at.all', initial_value_expression: true });
    expect(failing.status).toBe(400);
    expect(failing.body.initial_value[0]).toContain('ReferenceError');
    const broken = await preview({ placeholder: 'return (', placeholder_expression: true });
    expect([broken.status, Object.keys(broken.body)]).toEqual([400, ['placeholder']]);
    const endless = await preview({ placeholder: 'for (;;) {}', placeholder_expression: true });
    expect([endless.status, Object.keys(endless.body)]).toEqual([400, ['placeholder']]);
    expect((await server().admin.post(`${path}preview/`, {})).status).toBe(400);
  });

  test('the permission to view does not allow running expressions', async () => {
    const viewer = await server().user(['svc_stages_prompt.view_prompt', 'svc_stages_prompt.change_prompt']);
    const run = { placeholder: 'return 1', placeholder_expression: true };
    expect((await viewer.api.post(`${path}preview/`, body('p', run))).status).toBe(403);
    const author = await server().user(['svc_stages_prompt.add_prompt'], { username: 'author' });
    const { status, body: challenge } = await author.api.post(
      `${path}preview/`,
      body('p', { placeholder: 'return user.username', placeholder_expression: true }),
    );
    expect([status, challenge.fields[0].placeholder]).toEqual([200, 'author']);
    expect((await server().nobody.post(`${path}preview/`, body('p'))).status).toBe(403);
  });
});
