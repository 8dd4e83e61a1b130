import { expect, test } from 'vitest';
import { grantOn } from '../support/grants.ts';
import { describeOnBoth } from '../support/server.ts';

// Class 47: a filter by what is not there was refused, so that its answer told anybody who and what there is.
describeOnBoth('class 47: filters by other objects', (server) => {
  test('do not tell people without rights which applications and providers there are', async () => {
    const { admin, user } = server();
    const { body: flows } = await admin.get('/flows/instances/?page_size=1');
    const { body: provider } = await admin.post('/providers/oauth2/', {
      name: 'hidden',
      authorization_flow: flows.results[0].pk,
      invalidation_flow: flows.results[0].pk,
      redirect_uris: [],
    });
    const application = { name: 'hidden', slug: 'hidden-one', provider: provider.pk };
    expect((await admin.post('/core/applications/', application)).status).toBe(201);
    const { api } = await user();
    const asked = [
      ['/core/user_consent/?application=', 'hidden-one', 'nothing-there'],
      ['/oauth2/access_tokens/?provider=', provider.pk, 999_999],
      ['/core/tokens/?user=', 1, 999_999],
    ];
    for (const [path, there, absent] of asked) {
      const answers = [await api.get(`${path}${there}`), await api.get(`${path}${absent}`)];
      expect(answers.map(({ status }) => [path, status])).toEqual([
        [path, 200],
        [path, 200],
      ]);
      expect(answers[1]?.text).toBe(answers[0]?.text);
    }
    expect((await admin.get('/core/user_consent/?application=nothing-there')).status).toBe(400);
  });

  test('do not tell delegates who there is besides the members whom they see', async () => {
    const { admin, user } = server();
    const member = await user();
    const { body: group } = await admin.post('/core/groups/', { name: 'theirs', users: [member.pk] });
    const delegate = await user();
    await grantOn(server(), delegate.pk, 'svc_core.view_group', group.pk);
    const { body: found } = await delegate.api.get(`/core/groups/?members_by_pk=${member.pk}`);
    expect(found.pagination.count).toBe(1);
    const asked = ['members_by_username=admin', 'members_by_username=nobody-there', 'members_by_pk=999999'];
    for (const query of asked) {
      const { status, body } = await delegate.api.get(`/core/groups/?${query}`);
      expect([query, status, body.results]).toEqual([query, 200, []]);
    }
    expect((await admin.get('/core/groups/?members_by_username=nobody-there')).status).toBe(400);
  });
});
