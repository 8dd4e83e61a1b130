import { expect, test } from 'vitest';
import type { Action } from '../../src/resource/define.ts';
import type { Operation } from '../../src/resource/operation.ts';
import { prepareRequest } from './drive.ts';
import { describeEveryResource, type ResourceGround } from './every-resource.ts';
import { operationHints, resourceHints } from './hints.ts';

/** The rights that open an action, and those that must not be enough. */
function rightsFor({ access, on }: Action, { resource }: ResourceGround): { enough: string[]; tooLittle: string[] } {
  const view = on === 'row' ? [resource.permission('view')] : [];
  if (access === 'change') return { enough: [...view, resource.permission('change')], tooLittle: view };
  if (typeof access === 'object') return { enough: [...view, access.permission], tooLittle: view };
  return { enough: view, tooLittle: [] };
}

describeEveryResource(
  'actions',
  (ground, { actions = [] }) => {
    const asking = actions.filter(
      ({ access }) => access === 'change' || access === 'visible' || typeof access === 'object',
    );
    test.each(asking.map((action) => [`${action.method} ${action.name}`, action] as const))(
      '%s is opened by the right it asks for and by no less',
      async (_, { name, method }) => {
        const here = ground();
        const { resource, probe, server } = here;
        const action = resource.actions?.find((candidate) => candidate.name === name && candidate.method === method);
        const path = action?.on === 'row' ? `${resource.path}{${resource.param}}/${name}/` : `${resource.path}${name}/`;
        const operation = server.app.operations.find(
          (candidate) => candidate.method === method && candidate.path === path.replace('//', '/'),
        ) as Operation;
        const hint = operationHints[operation.id];
        if (hint?.undrivable) return;
        const beside = [...(hint?.alsoNeeds ?? []), ...(resourceHints[resource.model]?.alsoNeeds ?? [])];
        const { enough, tooLittle } = rightsFor(action as Action, here);

        const refused = await prepareRequest(here, operation);
        await probe.holds(...tooLittle, ...beside.filter((right) => !enough.includes(right)));
        expect((await probe.api.send(method, refused.path, refused.body)).status).toBe(403);
        await probe.holds(...enough, ...beside);
        const answer = await probe.api.send(method, refused.path, refused.body);
        // What decides how people sign in is for superusers, whatever others hold.
        const expected = operation.reaches ? 403 : operation.answer.status;
        expect([answer.status, answer.text]).toEqual([expected, answer.text]);
      },
    );
  },
  ({ actions = [], visibility }) =>
    actions.some(({ access }) => access === 'change' || access === 'visible' || typeof access === 'object') &&
    (visibility === undefined || visibility.by === 'permission'),
);
