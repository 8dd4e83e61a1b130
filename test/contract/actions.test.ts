import { expect, test } from 'vitest';
import type { Operation } from '../../src/resource/document/operation.ts';
import type { Action, Resource } from '../../src/resource/resource.ts';
import { prepareRequest } from './drive.ts';
import { describeEveryResource, operations, type ResourceGround } from './every-resource.ts';
import { operationHints, resourceHints } from './hints.ts';

/** The rights that open an action, and those that must not be enough. */
function rightsFor({ access, on }: Action, { resource }: ResourceGround): { enough: string[]; tooLittle: string[] } {
  const view = on === 'row' ? [resource.permission('view')] : [];
  if (access === 'change') return { enough: [...view, resource.permission('change')], tooLittle: view };
  if (typeof access === 'object') return { enough: [...view, access.permission], tooLittle: view };
  return { enough: view, tooLittle: [] };
}

const asksForRight = ({ access }: Action) => access === 'change' || access === 'visible' || typeof access === 'object';

function operationOf({ path, param }: Resource, { on, name, method }: Action): Operation {
  const own = `${path}${on === 'row' ? `{${param}}/` : ''}${name}/`.replace('//', '/');
  return operations.find((operation) => operation.method === method && operation.path === own) as Operation;
}

/** The actions that ask for a right and can be carried out here. */
const askingOf = (resource: Resource) =>
  (resource.actions ?? [])
    .filter(asksForRight)
    .map((action) => [`${action.method} ${action.name}`, action, operationOf(resource, action)] as const)
    .filter(([, , { id }]) => !operationHints[id]?.undrivable);

describeEveryResource(
  'actions',
  (ground, declared) => {
    test.each(askingOf(declared))(
      '%s is refused without its own permission and allowed with it',
      async (_, action, operation) => {
        const here = ground();
        const { resource, probe } = here;
        const { method } = action;
        const hint = operationHints[operation.id];
        const beside = [...(hint?.alsoNeeds ?? []), ...(resourceHints[resource.model]?.alsoNeeds ?? [])];
        const { enough, tooLittle } = rightsFor(action, here);

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
  (resource) =>
    askingOf(resource).length > 0 && (resource.visibility === undefined || resource.visibility.by === 'permission'),
);
