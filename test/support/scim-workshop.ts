import { afterEach } from 'vitest';
import { type ScimTarget, type ScimTargetOptions, startScimTarget } from './scim-target.ts';
import type { TestServer } from './server.ts';
import { makeGroup, makeSyncProvider, makeUser, settled } from './sync.ts';

/** Targets and providers for one test each: others would go on pushing. */
export function scimWorkshop(server: () => TestServer) {
  const open: { target: ScimTarget; pk: number }[] = [];
  afterEach(async () => {
    for (const { target, pk } of open.splice(0)) {
      await server().admin.delete(`/providers/scim/${pk}/`);
      await target.close();
    }
  });
  return async function start(options: ScimTargetOptions = {}, values: Record<string, unknown> = {}) {
    const target = await startScimTarget(options);
    const { admin } = server();
    // A scope of their own keeps tests apart.
    const scope = await makeGroup(admin);
    const provider = await makeSyncProvider(admin, 'scim', { ...target.settings, filter_group: scope.pk, ...values });
    open.push({ target, pk: provider.pk });
    await settled(server(), 'scim', provider.pk);
    const settle = () => settled(server(), 'scim', provider.pk);
    const person = async (more: Record<string, unknown> = {}) => {
      const made = await makeUser(admin, more);
      await admin.post(`/core/groups/${scope.pk}/add_user/`, { pk: made.pk });
      return made;
    };
    const userAt = (name: string) => [...target.users.values()].find(({ userName }) => userName === name);
    const groupAt = (name: string) => [...target.groups.values()].find(({ displayName }) => displayName === name);
    const sent = (method: string, collection: string) =>
      target.requests.filter((one) => one.method === method && one.segments[1] === collection);
    const rerun = async () => {
      await admin.patch(`/providers/scim/${provider.pk}/`, {});
      return settle();
    };
    return { target, provider, scope, settle, person, userAt, groupAt, sent, rerun, admin };
  };
}
