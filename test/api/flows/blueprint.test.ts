import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Api } from '../../support/api.ts';
import { eventsDuring } from '../../support/events.ts';

import { openBrowser } from '../../support/flow-client.ts';
import { bindExpression, made, makePrompt, makeWalk, unique } from '../../support/make-walk.ts';
import { describeOnBoth, startServer } from '../../support/server.ts';

const importPath = '/flows/instances/import/';

function upload(api: Api, text: string | Buffer, query = '') {
  const form = new FormData();
  form.set('file', new Blob([text as string], { type: 'application/yaml' }), 'flow.yaml');
  return api.post(`${importPath}${query}`, form);
}

const entry = (model: string, identifiers: object, attrs: object = {}) => ({ model, identifiers, attrs });
const file = (...entries: object[]) => JSON.stringify({ version: 1, metadata: { name: 'x' }, entries });

describeOnBoth('blueprints of flows', (server) => {
  async function wholeFlow() {
    const prompt = await makePrompt(server(), 'colour', 'text', { placeholder: 'red: "or" blue' });
    const policy = await made(server(), '/policies/expression/', {
      name: unique('validation'),
      expression: 'if (context.prompt_data.colour === "black")\n  return false\nreturn true',
    });
    const walk = await makeWalk(server(), [
      ['prompt/stages', { fields: [prompt], validation_policies: [policy.pk] }],
      ['captcha', { public_key: 'public', private_key: 'very-private-key' }],
      ['deny', { deny_message: 'the end' }],
    ]);
    await bindExpression(server(), walk.bindings[1]?.target as string, 'return false');
    const group = await made(server(), '/core/groups/', { name: unique('group') });
    await made(server(), '/policies/bindings/', { target: walk.pk, group: group.pk, order: 1, negate: true });
    return { ...walk, group };
  }
  const exported = (slug: string, api = server().admin) => api.get(`/flows/instances/${slug}/export/`);

  test('a long text is exported and imported again', async () => {
    const terms = 'Terms of use, which go on and on.\n'.repeat(9_000);
    const prompt = await makePrompt(server(), 'terms', 'static', { initial_value: terms });
    const flow = await makeWalk(server(), [['prompt/stages', { fields: [prompt] }]]);
    const { text } = await exported(flow.slug);
    expect(text.length).toBeGreaterThan(300_000);
    expect(text).not.toContain('cannot be imported');
    const answer = await upload(server().admin, text);
    expect([answer.status, answer.body.success ?? answer.body]).toEqual([200, true]);
  });

  test('an export holds the flow with all that belongs to it, and no secrets', async () => {
    const flow = await wholeFlow();
    const answer = await exported(flow.slug);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${flow.slug}.yaml"`);
    expect(answer.text).not.toContain('very-private-key');
    expect(answer.text).toMatch(new RegExp(`!Find\\s+- svc_core.group\\s+- - name\\s+- ${flow.group.name}`));
    const { version, entries } = parse(answer.text, { logLevel: 'silent' });
    expect(version).toBe(1);
    expect(entries.map(({ model }: { model: string }) => model).sort()).toEqual([
      'svc_flows.flow',
      'svc_flows.flowstagebinding',
      'svc_flows.flowstagebinding',
      'svc_flows.flowstagebinding',
      'svc_policies.policybinding',
      'svc_policies.policybinding',
      'svc_policies_expression.expressionpolicy',
      'svc_policies_expression.expressionpolicy',
      'svc_stages_captcha.captchastage',
      'svc_stages_deny.denystage',
      'svc_stages_prompt.prompt',
      'svc_stages_prompt.promptstage',
    ]);
  });

  test('an import of an export changes nothing', async () => {
    const flow = await wholeFlow();
    const before = (await exported(flow.slug)).text;
    const answer = await upload(server().admin, before);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ success: true });
    expect(answer.body.logs[0]).toMatchObject({ log_level: 'info', event: 'Entry 1 is imported.' });
    expect((await exported(flow.slug)).text).toBe(before);
    const secret = await server().admin.get(`/stages/captcha/${flow.stages[1]}/`);
    expect(secret.status).toBe(200);
  });

  test('a binding whose group is gone is for no user where it is imported', async () => {
    const { admin } = server();
    const flow = await wholeFlow();
    expect((await admin.delete(`/core/groups/${flow.group.pk}/`)).status).toBe(204);
    const before = (await exported(flow.slug)).text;
    expect((await upload(admin, before)).body).toMatchObject({ success: true });
    expect((await exported(flow.slug)).text).toBe(before);
    const copy = unique('copy');
    expect((await upload(admin, before.replaceAll(flow.slug, copy))).body).toMatchObject({ success: true });
    const { pk } = (await admin.get(`/flows/instances/${copy}/`)).body;
    const bindings = (await admin.get(`/policies/bindings/?target=${pk}`)).body.results;
    expect(bindings).toMatchObject([{ policy: null, group: null, user: null, negate: true, order: 1 }]);
    // Who writes such a binding by hand has forgotten something.
    const target = { target: pk, order: 7 };
    const forgotten = await upload(admin, file(entry('svc_policies.policybinding', target)));
    expect([forgotten.status, forgotten.text]).toEqual([400, expect.stringContaining('must be set')]);
  });

  test('a flow exported from one server works after import on another', async () => {
    const flow = await wholeFlow();
    const text = (await exported(flow.slug)).text;
    const other = await startServer(server().kind);
    try {
      const refused = await upload(other.admin, text);
      expect(refused.status).toBe(400);
      expect(refused.body.success).toBe(false);
      // The group is not there.
      const complaints = refused.body.logs.map(({ attributes }: { attributes: object }) => attributes);
      expect(complaints).toEqual([expect.objectContaining({ model: 'svc_policies.policybinding' })]);
      expect((await other.admin.get(`/flows/instances/${flow.slug}/`)).status).toBe(404);
      await other.admin.post('/core/groups/', { name: flow.group.name });
      const imported = await upload(other.admin, text);
      expect(imported.status).toBe(200);
      // Of the secret only the person who imports can know.
      const warnings = imported.body.logs.filter(({ log_level }: { log_level: string }) => log_level === 'warning');
      expect(warnings).toMatchObject([
        {
          event: expect.stringContaining('private_key'),
          attributes: { model: 'svc_stages_captcha.captchastage', lacking: ['private_key'] },
        },
      ]);
      const browser = openBrowser(other);
      const first = await browser.show(flow.slug);
      expect(first.body.fields[0]).toMatchObject({ field_key: 'colour', placeholder: 'red: "or" blue' });
      const black = await browser.answer(flow.slug, { component: 'xak-stage-prompt', colour: 'black' });
      expect(black.body.response_errors).toBeTruthy();
      const red = await browser.answer(flow.slug, { component: 'xak-stage-prompt', colour: 'red' });
      expect(red.body).toMatchObject({ component: 'xak-stage-access-denied', error_message: 'the end' });
    } finally {
      await other.close();
    }
  });

  test('an invalid blueprint reports all errors at once and writes nothing', async () => {
    const slug = unique('half');
    const text = file(
      { ...entry('svc_flows.flow', { slug }, { name: 'n', title: 't', designation: 'enrollment' }), id: 'flow' },
      entry('svc_stages_dummy.dummystage', { name: unique('d') }, { throw_error: 'perhaps' }),
      {
        ...entry('svc_policies_expression.expressionpolicy', { name: unique('p') }, { expression: 'return (' }),
        id: 'p',
      },
      entry('svc_core.user', { username: 'mallory' }, { name: 'x' }),
      entry('svc_stages_dummy.dummystage', { name: unique('d') }, { nonsense: 1 }),
    );
    const events = await eventsDuring(server(), async () => {
      const answer = await upload(server().admin, text);
      expect(answer.status).toBe(400);
      expect(answer.body.logs.map(({ attributes }: { attributes: { entry: number } }) => attributes.entry)).toEqual([
        2, 3, 4, 5,
      ]);
    });
    expect(events).toEqual([]);
    expect((await server().admin.get(`/flows/instances/${slug}/`)).status).toBe(404);
  });

  test('a dry run writes nothing', async () => {
    const slug = unique('dry');
    const text = file(entry('svc_flows.flow', { slug }, { name: 'n', title: 't', designation: 'enrollment' }));
    expect((await upload(server().admin, text, '?dry_run=true')).status).toBe(200);
    expect((await server().admin.get(`/flows/instances/${slug}/`)).status).toBe(404);
  });

  test('each object that is made leaves its event', async () => {
    const text = file(
      {
        ...entry('svc_flows.flow', { slug: unique('f') }, { name: 'n', title: 't', designation: 'enrollment' }),
        id: 'flow',
      },
      entry('svc_stages_dummy.dummystage', { name: unique('d') }),
    );
    const events = await eventsDuring(server(), async () => {
      expect((await upload(server().admin, text)).status).toBe(200);
    });
    expect(events.map(({ action }) => action)).toEqual(['model_created', 'model_created']);
  });

  test('an import takes the rights to its parts; only superusers import what users sign in through', async () => {
    const slug = unique('rights');
    const attrs = { name: 'n', title: 't', designation: 'enrollment' };
    const flow = entry('svc_flows.flow', { slug }, attrs);
    const nobody = await server().user();
    expect((await upload(nobody.api, file(flow))).status).toBe(403);
    const all = ['add', 'view', 'change'].map((verb) => `svc_flows.${verb}_flow`);
    const { api } = await server().user(all);
    const find = async () => (await server().admin.get(`/flows/instances/${slug}/`)).body;
    const enabled = entry('svc_flows.flow', { slug }, { ...attrs, enabled: true });
    expect((await upload(api, file(enabled))).status).toBe(403);
    const stage = entry('svc_stages_deny.denystage', { name: unique('stage') });
    expect((await upload(api, file(flow, stage))).status).toBe(403);
    expect((await server().admin.get(`/flows/instances/${slug}/`)).status).toBe(404);
    expect((await upload(api, file(flow))).status).toBe(200);
    expect(await find()).toMatchObject({ title: 't', enabled: false });
    expect((await openBrowser(server()).show(slug)).status).toBe(404);
    expect((await upload(server().admin, file(enabled))).status).toBe(200);
    const renamed = entry('svc_flows.flow', { slug }, { ...attrs, title: 'another' });
    expect((await upload(api, file(renamed))).status).toBe(403);
    expect(await find()).toMatchObject({ title: 't', enabled: true });
  });

  test('an export needs the right to export, and to view every part', async () => {
    const flow = await wholeFlow();
    const viewer = await server().user(['svc_flows.view_flow']);
    expect((await exported(flow.slug, viewer.api)).status).toBe(403);
    const exporter = await server().user(['svc_flows.view_flow', 'svc_flows.export_flow']);
    const partly = await exported(flow.slug, exporter.api);
    expect(partly.status).toBe(403);
    expect(partly.text).not.toContain('colour');
    const bare = await makeWalk(server(), []);
    expect((await exported(bare.slug, exporter.api)).status).toBe(200);
  });

  test.each([
    ['no YAML', 'a: [', /./],
    ['no blueprint', '- 1', /members version/],
    ['another version', '{version: 2, entries: []}', /members version/],
    ['no entries', '{version: 1}', /members version/],
    ['an unknown tag', 'version: 1\nentries:\n- !Env SECRET', /tag/i],
    ['a tag of another language', 'version: 1\nentries:\n- !!js/function "return 1"', /tag/i],
    ['aliases', 'version: 1\nx: &a [1]\nentries: [*a, *a]', /alias/i],
    [
      'a bomb',
      `version: 1\na: &a [x]\n${'bcdefgh'
        .split('')
        .map((n, i) => `${n}: &${n} [${Array(9).fill(`*${'abcdefg'[i]}`)}]`)
        .join('\n')}\nentries: [*h]`,
      /alias/i,
    ],
    ['an absent object', file({ ...entry('svc_flows.flow', { slug: 'x' }), state: 'absent' }), /state/],
    ['unknown members', file({ ...entry('svc_flows.flow', { slug: 'x' }), conditions: [] }), /conditions/],
    ['no identifiers', file(entry('svc_flows.flow', {})), /identifiers/],
    ['too many entries', file(...Array(1001).fill(entry('svc_flows.flow', { slug: 'x' }))), /too many/],
    ['bytes', Buffer.from([0xff, 0xfe, 0x00]), /UTF-8/],
    ['nothing', '', /No file/],
  ])('%s is refused with a clear message', async (_name, text, words) => {
    const answer = await upload(server().admin, text);
    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(words);
  });

  test.each([
    ['by what no member is', { nothing: 1 }],
    ['by a prototype', { constructor: 1 }],
    ['by a shown member', { stages: [] }],
    ['by a value of another form', { slug: { a: 1 } }],
    ['by text that no column holds', { slug: 'a\u0000b' }],
  ])('objects identified %s are refused', async (_name, identifiers) => {
    const answer = await upload(server().admin, file(entry('svc_flows.flow', identifiers)));
    expect(answer.status).toBe(400);
  });

  test('blueprints cannot look up invisible objects or hidden values', async () => {
    const group = await made(server(), '/core/groups/', { name: unique('hidden-group') });
    const rights = ['svc_flows.add_flow', 'svc_flows.view_flow', 'svc_policies.add_policybinding'];
    const user = await server().user([...rights, 'svc_flows.change_flow']);
    const slug = unique('f');
    const flow = `- {model: svc_flows.flow, id: f, identifiers: {slug: ${slug}}, attrs: {name: n, title: t, designation: enrollment}}`;
    const binding = (find: string) =>
      `version: 1\nentries:\n${flow}\n- {model: svc_policies.policybinding, identifiers: {target: !KeyOf f, order: 0, ${find}}}`;
    const byName = binding(`group: !Find [svc_core.group, [name, ${group.name}]]`);
    expect((await upload(user.api, byName)).status).toBe(403);
    const byHash = binding('user: !Find [svc_core.user, [password, x]]');
    expect((await upload(server().admin, byHash)).body.logs[0].attributes.complaints.user[0]).toContain('There is no');
    expect((await upload(server().admin, binding('policy: !KeyOf nothing'))).status).toBe(400);
    expect((await upload(server().admin, byName)).status).toBe(200);
  });
});
