import { beforeAll, expect, test } from 'vitest';
import { eventsAbout } from '../../support/events.ts';
import { grantOn } from '../../support/grants.ts';
import { describeOnBoth } from '../../support/server.ts';

const path = '/stages/prompt/stages/';

describeOnBoth('prompt stages', (server) => {
  let fields: string[];
  let policy: string;
  const make = async (name: string, more = {}) => {
    const { status, body } = await server().admin.post(path, { name, fields, ...more });
    expect(status).toBe(201);
    return body;
  };

  beforeAll(async () => {
    const prompt = async (name: string) =>
      (await server().admin.post('/stages/prompt/prompts/', { name, field_key: name, label: name, type: 'text' })).body
        .pk;
    fields = [await prompt('first'), await prompt('second')].sort();
    policy = (await server().admin.post('/policies/password_expiry/', { name: 'for prompts', days: 1 })).body.pk;
  });

  test('a stage shows its fields, its policies and the flows it is part of', async () => {
    const made = await make('shown', { validation_policies: [policy] });
    expect(made).toEqual({
      pk: expect.any(String),
      name: 'shown',
      component: 'xak-stage-prompt-form',
      verbose_name: 'Prompt Stage',
      verbose_name_plural: 'Prompt Stages',
      meta_model_name: 'svc_stages_prompt.promptstage',
      flow_set: [],
      fields,
      validation_policies: [policy],
    });
    const flow = (await server().admin.get('/flows/instances/default-source-enrollment/')).body;
    await server().admin.post('/flows/bindings/', { target: flow.pk, stage: made.pk, order: 50 });
    const { status, body } = await server().admin.get(`${path}${made.pk}/`);
    expect(status).toBe(200);
    const { stages: _s, policies: _p, cache_count: _c, authentication: _a, enabled: _e, ...summary } = flow;
    expect(body).toEqual({ ...made, flow_set: [summary] });
  });

  test('the key of another kind of stage, or of nothing, is not found', async () => {
    const other = (await server().admin.post('/stages/invitation/stages/', { name: 'not a prompt stage' })).body;
    for (const key of [other.pk, '66666666-6666-6666-6666-666666666666', 'nonsense', '%00', '1']) {
      const { status, body } = await server().admin.get(`${path}${key}/`);
      expect([key, status, body.detail]).toEqual([key, 404, 'Not found.']);
    }
  });

  test('a stage without fields is refused, whether new or changed', async () => {
    const empty = { fields: ['This list may not be empty.'] };
    expect((await server().admin.post(path, { name: 'empty', fields: [] })).body).toEqual(empty);
    expect((await server().admin.post(path, { name: 'empty' })).body).toEqual({ fields: ['This field is required.'] });
    const made = await make('not emptied');
    expect((await server().admin.patch(`${path}${made.pk}/`, { fields: [] })).body).toEqual(empty);
    expect((await server().admin.patch(`${path}${made.pk}/`, { fields: null })).body).toEqual({
      fields: ['This field may not be null.'],
    });
    expect((await server().admin.patch(`${path}${made.pk}/`, { fields: 'x' })).body).toEqual({
      fields: ['Expected a list of items but got type "str".'],
    });
    const one = await server().admin.patch(`${path}${made.pk}/`, { fields: [fields[0], fields[0]] });
    expect(one.body.fields).toEqual([fields[0]]);
  });

  test('names are unique over all kinds of stage', async () => {
    await make('unique');
    const again = await server().admin.post(path, { name: 'unique', fields });
    expect([again.status, again.body]).toEqual([400, { name: ['This field must be unique.'] }]);
    await server().admin.post('/stages/invitation/stages/', { name: 'of another kind' });
    const clash = await server().admin.post(path, { name: 'of another kind', fields });
    expect([clash.status, clash.body]).toEqual([400, { name: ['This field must be unique.'] }]);
    const back = await server().admin.post('/stages/invitation/stages/', { name: 'unique' });
    expect(back.body).toEqual({ name: ['stage with this name already exists.'] });
  });

  test('stages are filtered by field, policy, name and key', async () => {
    const made = await make('filtered', { fields: [fields[1]], validation_policies: [policy] });
    const found = async (query: string) =>
      (await server().admin.get(`${path}?${query}`)).body.results.map(({ pk }: { pk: string }) => pk);
    expect(await found(`fields=${fields[1]}&name=filtered`)).toEqual([made.pk]);
    const using = await found(`validation_policies=${policy}`);
    expect(using).toContain(made.pk);
    expect((await server().admin.get(`/policies/password_expiry/${policy}/`)).body.bound_to).toBe(using.length);
    expect(await found(`stage_uuid=${made.pk}`)).toEqual([made.pk]);
    expect(await found(`fields=${fields[0]}&stage_uuid=${made.pk}`)).toEqual([]);
  });

  test('prompt stages require permission to read', async () => {
    const [mine, other] = [await make('readable'), await make('unreadable')];
    const user = await server().user();
    expect((await server().nobody.get(`${path}${mine.pk}/`)).status).toBe(403);
    expect((await user.api.get(`${path}${mine.pk}/`)).status).toBe(403);
    await grantOn(server(), user.pk, 'svc_stages_prompt.view_promptstage', mine.pk);
    expect((await user.api.get(`${path}${mine.pk}/`)).body).toEqual(mine);
    expect((await user.api.get(`${path}${other.pk}/`)).status).toBe(404);
    const viewer = await server().user(['svc_stages_prompt.view_promptstage']);
    expect((await viewer.api.get(`${path}${other.pk}/`)).status).toBe(200);
    expect((await viewer.api.patch(`${path}${other.pk}/`, { name: 'x' })).status).toBe(403);
    expect((await eventsAbout(server(), other.pk)).map(({ action }) => action)).toEqual(['model_created']);
  });

  test('a prompt knows the stages that ask it, and goes without taking them along', async () => {
    const prompts = '/stages/prompt/prompts/';
    const lone = { name: 'lone', field_key: 'lone', label: 'Lone', type: 'text' };
    const { pk } = (await server().admin.post(prompts, lone)).body;
    const stage = await make('asks lone', { fields: [pk, ...fields] });
    const shown = (await server().admin.get(`${prompts}${pk}/`)).body.promptstage_set;
    expect(shown).toEqual([expect.objectContaining({ pk: stage.pk, component: 'xak-stage-prompt-form' })]);
    expect((await server().admin.get(`${prompts}${pk}/used_by/`)).body).toEqual([
      { app: 'svc_stages_prompt', model_name: 'promptstage', pk: stage.pk, name: 'asks lone', action: 'cascade_many' },
    ]);
    expect((await server().admin.delete(`${prompts}${pk}/`)).status).toBe(204);
    expect((await server().admin.get(`${path}${stage.pk}/`)).body.fields).toEqual(fields);
  });
});
