import { expect, test } from 'vitest';
import { describeOnSqlite } from '../../support/server.ts';
import { makeGroup } from '../../support/sync.ts';
import { unique } from '../sources/fixtures.ts';

describeOnSqlite('the id of a global grant', (server) => {
  test('is not the id of a grant on an object', async () => {
    const { admin } = server();
    const role = (await admin.post('/rbac/roles/', { name: unique('role') })).body;
    const group = await makeGroup(admin);
    const assign = async (body: object) =>
      (await admin.post(`/rbac/permissions/assigned_by_roles/${role.pk}/assign/`, body)).body.map(
        ({ id }: { id: string }) => id,
      );
    const one = { model: 'svc_core.group', object_pk: group.pk };
    const onObject: string[] = [];
    for (const name of ['view_group', 'change_group', 'delete_group'])
      onObject.push(...(await assign({ permissions: [name], ...one })));
    const all = (await admin.get('/rbac/permissions/?page_size=1000')).body.results;
    const names = all.map(({ app_label, codename }: Record<string, string>) => `${app_label}.${codename}`);
    const everywhere = await assign({ permissions: names.slice(0, 50) });
    expect(new Set(everywhere).size).toBe(50);
    expect(new Set(everywhere).isDisjointFrom(new Set(onObject))).toBe(true);
    for (const id of everywhere)
      expect([id, (await admin.delete(`/rbac/permissions/roles/${id}/`)).status]).toEqual([id, 404]);
    const { body } = await admin.get(`/rbac/permissions/roles/?uuid=${role.pk}`);
    expect(body.pagination.count).toBe(3);
  });
});
