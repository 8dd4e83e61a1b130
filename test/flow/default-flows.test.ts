import { expect, test } from 'vitest';
import { bindExpression, makeWalk } from '../support/make-walk.ts';
import { recoverBy } from '../support/recovery.ts';
import { describeOnSqlite } from '../support/server.ts';
import { signIn } from '../support/session.ts';

describeOnSqlite('addresses of default flows', (server) => {
  async function visit(path: string, headers: Record<string, string> = {}) {
    const { status, headers: answered } = await fetch(`${server().url}/flows/-/default/${path}`, {
      redirect: 'manual',
      headers: { accept: 'text/html', ...headers },
    });
    return [status, answered.get('location')];
  }

  test('lead to the flows of the brand, with their query', async () => {
    expect(await visit('authentication/?next=%2Fif%2Fadmin%2F')).toEqual([
      302,
      '/if/flow/default-authentication-flow/?next=%2Fif%2Fadmin%2F',
    ]);
    expect(await visit('invalidation/')).toEqual([302, '/if/flow/default-invalidation-flow/']);
    const recovery = await makeWalk(server(), [], { designation: 'recovery' });
    await recoverBy(server(), recovery.pk);
    expect(await visit('recovery/')).toEqual([302, `/if/flow/${recovery.slug}/`]);
    await recoverBy(server(), null);
  });

  test('lead to the first flow of the designation that is for the caller, where the brand has none', async () => {
    const named = async (slug: string, values: Record<string, unknown> = {}) => {
      const names = { designation: 'unenrollment', slug, name: slug, title: slug };
      await makeWalk(server(), [], { ...names, ...values });
    };
    await named('a-closed-one');
    await named('b-for-users', { authentication: 'require_authenticated' });
    const { body } = await server().admin.get('/flows/instances/a-closed-one/');
    await bindExpression(server(), body.policybindingmodel_ptr_id, 'return false');
    expect(await visit('unenrollment/')).toEqual([404, null]);
    const { cookie } = await signIn(server(), (await server().user()).pk);
    expect(await visit('unenrollment/', { cookie })).toEqual([302, '/if/flow/b-for-users/']);
    await named('c-open-one');
    expect(await visit('unenrollment/')).toEqual([302, '/if/flow/c-open-one/']);
  });

  test('are there for designations alone, and lead nowhere else', async () => {
    expect(await visit('no-such-thing/')).toEqual([404, null]);
    expect(await visit('../../evil/')).toEqual([404, null]);
    const [status, location] = await visit('invalidation/?next=https://evil.example/');
    expect([status, location]).toEqual([302, '/if/flow/default-invalidation-flow/?next=https%3A%2F%2Fevil.example%2F']);
  });
});
