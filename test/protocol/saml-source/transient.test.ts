import { beforeAll, expect, test } from 'vitest';
import { nameIdFormats } from '../../../src/lib/saml/names.ts';
import { makeFlow } from '../../api/sources/fixtures.ts';
import { eventsDuring } from '../../support/events.ts';
import { runJob, until } from '../../support/jobs.ts';
import { bindExpression, unique } from '../../support/make-walk.ts';
import { type IdpKey, idpKey, type Told } from '../../support/saml-idp.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { leadsTo, saidOn } from '../oauth-source/visitor.ts';
import { samlWalk } from './saml-walk.ts';

let key: IdpKey;
beforeAll(async () => {
  key = await idpKey();
});

describeOnSqlite('people with a transient name at a SAML source', (server) => {
  const { source, signIn, arrive } = samlWalk(server, () => key);
  const transient = (more: Partial<Told> = {}): Partial<Told> => ({
    nameId: unique('_transient'),
    format: nameIdFormats.transient,
    ...more,
  });
  const find = async (pk: number) => server().admin.get(`/core/users/${pk}/`);
  const usersNamed = async (text: string) =>
    (await server().admin.get(`/core/users/?search=${encodeURIComponent(text)}`)).body.results;

  test('get a user for the session, who is deleted when they sign out', async () => {
    const { slug, name } = await source({ user_matching_mode: 'username_link' });
    const told = transient({ attributes: { displayName: ['Guest'] } });
    const { browser, user, page } = await signIn(slug, told);
    expect(leadsTo(page)).toBe('/if/flow/default-source-authentication/');
    const { body } = await find(user.pk);
    expect(body).toMatchObject({
      username: `gatehouse-${told.nameId}-transient`,
      name: 'Guest',
      path: `gatehouse/sources/${slug}`,
      attributes: {
        'gatehouse/user/generated': true,
        'gatehouse/user/sources': [name],
        'gatehouse/user/delete-on-logout': true,
      },
    });
    expect(body.attributes['gatehouse/user/expires']).toBeGreaterThan(Date.now() / 1000 + 86_000);
    const second = await signIn(slug, told);
    expect(second.user.pk).toBe(user.pk);
    await browser.answer('default-invalidation-flow', {});
    expect((await find(user.pk)).status).toBe(200);
    await second.browser.answer('default-invalidation-flow', {});
    await until(async () => (await find(user.pk)).status === 404);
  });

  test('expire, and cannot sign in before the clean-up deletes them', async () => {
    const { slug } = await source({ temporary_user_delete_after: 'milliseconds=1' });
    const told = transient();
    const { user } = await signIn(slug, told);
    const again = await arrive(slug, told);
    expect([again.status, saidOn(again)]).toEqual([403, expect.stringContaining('for one session, which has ended')]);
    await runJob(server(), 'saml_temporary_users');
    expect((await find(user.pk)).status).toBe(404);
  });

  test('get a user in each browser, also when the identity provider sends the same address each time', async () => {
    const { slug } = await source();
    const email = `${unique('guest')}@example.com`;
    const guest = () => transient({ attributes: { mail: [email], displayName: ['Guest'] } });
    const first = await signIn(slug, guest());
    const second = await signIn(slug, guest());
    expect(second.user.pk).not.toBe(first.user.pk);
    expect([first.user.email, second.user.email]).toEqual([email, '']);
    expect(second.user.name).toBe('Guest');
  });

  test('get a user without an address when theirs is not valid', async () => {
    const { slug } = await source();
    const { user } = await signIn(slug, transient({ attributes: { mail: ['not an address'] } }));
    expect(user.email).toBe('');
  });

  test('get no user when the flow refuses them or is missing', async () => {
    const flow = await makeFlow(server(), 'authentication');
    await bindExpression(server(), flow.policybindingmodel_ptr_id, 'return false');
    const { slug } = await source({ authentication_flow: flow.pk });
    const told = transient();
    expect((await arrive(slug, told)).status).toBe(403);
    const flowless = await source({ authentication_flow: null });
    expect((await arrive(flowless.slug, told)).status).toBe(400);
    expect(await usersNamed(String(told.nameId))).toEqual([]);
  });

  test('are never matched to an existing user with that name', async () => {
    const { slug } = await source({ user_matching_mode: 'username_link' });
    const told = transient();
    const taken = await server().user([], { username: `gatehouse-${told.nameId}-transient` });
    const events = await eventsDuring(server(), async () => {
      expect((await arrive(slug, told)).status).toBe(400);
    });
    expect(events).toMatchObject([
      {
        action: 'configuration_error',
        context: { message: expect.stringContaining('username: This field must be unique.') },
      },
    ]);
    const named = await server().user([], { username: unique('named') });
    const { user } = await signIn(slug, transient({ nameId: named.username }));
    expect([taken.pk, named.pk]).not.toContain(user.pk);
  });
});
