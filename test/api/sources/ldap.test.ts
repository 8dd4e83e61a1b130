import { expect, test } from 'vitest';
import { unique } from '../../support/make-walk.ts';
import { describeOnBoth } from '../../support/server.ts';

describeOnBoth('LDAP sources', (server) => {
  test('keep the flows that clients set', async () => {
    const { results } = (await server().admin.get('/flows/instances/?page_size=2')).body;
    const [authentication_flow, enrollment_flow] = results.map(({ pk }: { pk: string }) => pk);
    const slug = unique('directory');
    const body = {
      ...{
        name: slug,
        slug,
        enabled: false,
        server_uri: 'ldaps://directory.example.com',
        base_dn: 'dc=example,dc=com',
      },
      ...{ sync_users: false, sync_groups: false, sync_users_password: false },
    };
    const created = await server().admin.post('/sources/ldap/', { ...body, authentication_flow, enrollment_flow });
    expect([created.status, created.text]).toEqual([201, created.text]);
    expect(created.body).toMatchObject({ authentication_flow, enrollment_flow });
    const path = `/sources/ldap/${slug}/`;
    expect((await server().admin.get(path)).body).toMatchObject({ authentication_flow, enrollment_flow });
    const cleared = await server().admin.patch(path, { enrollment_flow: null });
    expect(cleared.body).toMatchObject({ authentication_flow, enrollment_flow: null });
    const { body: all } = await server().admin.get(`/sources/all/${slug}/`);
    expect(all).toMatchObject({ authentication_flow, enrollment_flow: null });
    const missing = 'a0a0a0a0-0000-4000-8000-000000000000';
    const refused = await server().admin.patch(path, { authentication_flow: missing });
    expect([refused.status, refused.body.authentication_flow]).toEqual([
      400,
      [`Invalid pk "${missing}" - object does not exist.`],
    ]);
  });
});
