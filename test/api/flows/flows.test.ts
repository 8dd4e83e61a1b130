import { expect, test } from 'vitest';
import { eventsAbout } from '../../support/events.ts';
import { grantOn } from '../../support/grants.ts';
import { describeOnBoth } from '../../support/server.ts';

const path = '/flows/instances/';

describeOnBoth('flows', (server) => {
  const body = (slug: string, more = {}) => ({ name: slug, slug, title: 'T', designation: 'enrollment', ...more });
  const make = async (slug: string, more = {}) => {
    const { status, body: made } = await server().admin.post(path, body(slug, more));
    expect(status).toBe(201);
    return made;
  };

  test('a new flow has the defaults, a target of its own for policies, and one event', async () => {
    const made = await make('fresh');
    expect(made).toEqual({
      pk: expect.any(String),
      policybindingmodel_ptr_id: expect.any(String),
      enabled: true,
      name: 'fresh',
      slug: 'fresh',
      title: 'T',
      designation: 'enrollment',
      background: '/static/flow-background.svg',
      stages: [],
      policies: [],
      cache_count: 0,
      policy_engine_mode: 'any',
      compatibility_mode: false,
      export_url: '/api/v3/flows/instances/fresh/export/',
      layout: 'stacked',
      denied_action: 'message_continue',
      authentication: 'none',
    });
    expect(made.policybindingmodel_ptr_id).not.toBe(made.pk);
    expect((await server().admin.get(`${path}fresh/`)).body).toEqual(made);
    expect((await eventsAbout(server(), made.pk)).map(({ action }) => action)).toEqual(['model_created']);
  });

  test('all complaints about a flow come at once', async () => {
    const { status, body: complaints } = await server().admin.post(path, {
      slug: 'not a slug',
      title: '',
      designation: 'sleep',
      layout: 'round',
      authentication: '',
    });
    expect(status).toBe(400);
    expect(complaints).toEqual({
      name: ['This field is required.'],
      slug: ['Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.'],
      title: ['This field may not be blank.'],
      designation: [expect.stringContaining('"sleep" is not a valid choice.')],
      layout: [expect.stringContaining('"round" is not a valid choice.')],
      authentication: [expect.stringContaining('"" is not a valid choice.')],
    });
  });

  test('slugs are unique, and a flow is found by its new slug', async () => {
    await make('taken');
    expect((await server().admin.post(path, body('taken'))).body).toEqual({
      slug: ['Flow with this slug already exists.'],
    });
    await make('moving');
    const moved = await server().admin.patch(`${path}moving/`, { slug: 'moved' });
    expect(moved.body).toMatchObject({ slug: 'moved', export_url: '/api/v3/flows/instances/moved/export/' });
    expect((await server().admin.get(`${path}moving/`)).status).toBe(404);
    expect((await server().admin.get(`${path}moved/`)).status).toBe(200);
  });

  test('read-only members are ignored', async () => {
    const made = await make('forged', {
      pk: '11111111-1111-1111-1111-111111111111',
      background: 'javascript:alert(1)',
      cache_count: 7,
      stages: ['11111111-1111-1111-1111-111111111111'],
    });
    expect(made).toMatchObject({ background: '/static/flow-background.svg', cache_count: 0, stages: [] });
    expect(made.pk).not.toBe('11111111-1111-1111-1111-111111111111');
  });

  test('the list can be filtered, searched and ordered', async () => {
    await make('find-a', { designation: 'recovery', denied_action: 'continue', name: 'one zwei' });
    await make('find-b', { designation: 'unenrollment', name: 'zwei three' });
    const slugs = async (query: string) => {
      const { status, body: page } = await server().admin.get(`${path}?${query}`);
      expect(status).toBe(200);
      return page.results.map(({ slug }: { slug: string }) => slug);
    };
    expect(await slugs('designation=recovery')).toEqual(['default-recovery-flow', 'find-a']);
    expect(await slugs('denied_action=continue')).toEqual(['find-a']);
    expect(await slugs('slug=find-b')).toEqual(['find-b']);
    expect(await slugs('name=zwei%20three')).toEqual(['find-b']);
    expect(await slugs('search=zwei')).toEqual(['find-a', 'find-b']);
    expect(await slugs('search=zwei&ordering=-slug')).toEqual(['find-b', 'find-a']);
    const { pk } = (await server().admin.get(`${path}find-b/`)).body;
    expect(await slugs(`flow_uuid=${pk}`)).toEqual(['find-b']);
    expect((await server().admin.get(`${path}?designation=sleep`)).body).toEqual({
      designation: [
        expect.stringMatching(
          /^Select a valid choice\. sleep is not one of the available choices\. Valid choices: \w+/,
        ),
      ],
    });
    expect((await server().admin.get(`${path}?flow_uuid=x`)).body).toEqual({ flow_uuid: ['Enter a valid UUID.'] });
  });

  test('a flow lists its stages in order and the policies bound to it', async () => {
    const flow = await make('with-parts');
    const invitation = async (name: string) =>
      (await server().admin.post('/stages/invitation/stages/', { name })).body.pk as string;
    const [late, early] = [await invitation('late'), await invitation('early')];
    await server().admin.post('/flows/bindings/', { target: flow.pk, stage: late, order: 20 });
    await server().admin.post('/flows/bindings/', { target: flow.pk, stage: early, order: 10 });
    const policy = await server().admin.post('/policies/password_expiry/', { name: 'for the flow', days: 3 });
    const bound = await server().admin.post('/policies/bindings/', {
      target: flow.pk,
      policy: policy.body.pk,
      order: 0,
    });
    expect(bound.status).toBe(201);
    expect(bound.body.target).toBe(flow.pk);
    const shown = (await server().admin.get(`${path}with-parts/`)).body;
    expect(shown.stages).toEqual([early, late]);
    expect(shown.policies).toEqual([policy.body.pk]);
  });

  test('permissions on one flow show that one, and allow no change', async () => {
    const [mine, other] = [await make('mine'), await make('others')];
    const user = await server().user();
    expect((await user.api.get(path)).status).toBe(403);
    expect((await user.api.get(`${path}mine/`)).status).toBe(403);
    expect((await server().nobody.get(path)).status).toBe(403);
    await grantOn(server(), user.pk, 'svc_flows.view_flow', mine.pk);
    const list = await user.api.get(path);
    expect(list.body.results.map(({ slug }: { slug: string }) => slug)).toEqual(['mine']);
    expect((await user.api.get(`${path}${other.slug}/`)).status).toBe(404);
    expect((await user.api.patch(`${path}mine/`, { name: 'x' })).status).toBe(403);
    expect((await user.api.post(path, body('not-me'))).status).toBe(403);
    await grantOn(server(), user.pk, 'svc_flows.change_flow', mine.pk);
    expect((await user.api.patch(`${path}mine/`, { name: 'x' })).body.detail).toContain('Only superusers');
    expect((await user.api.delete(`${path}mine/`)).status).toBe(403);
  });

  test('deleting a flow frees what names it and takes its bindings along', async () => {
    const flow = await make('doomed');
    const brand = await server().admin.post('/core/brands/', { domain: 'doomed.example', flow_recovery: flow.pk });
    const stage = await server().admin.post('/stages/invitation/stages/', { name: 'survivor' });
    const binding = await server().admin.post('/flows/bindings/', { target: flow.pk, stage: stage.body.pk, order: 1 });
    const users = (await server().admin.get(`${path}doomed/used_by/`)).body;
    expect(users).toContainEqual({
      app: 'svc_brands',
      model_name: 'brand',
      pk: brand.body.brand_uuid,
      name: 'Brand doomed.example',
      action: 'set_null',
    });
    expect((await server().admin.delete(`${path}doomed/`)).status).toBe(204);
    expect((await server().admin.get(`/core/brands/${brand.body.brand_uuid}/`)).body.flow_recovery).toBeNull();
    expect((await server().admin.get(`/flows/bindings/${binding.body.pk}/`)).status).toBe(404);
    expect((await server().admin.get(`/stages/invitation/stages/${stage.body.pk}/`)).body.flow_set).toEqual([]);
    expect((await eventsAbout(server(), flow.pk)).map(({ action }) => action)).toEqual([
      'model_created',
      'model_deleted',
    ]);
  });
});
