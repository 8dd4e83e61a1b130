import type { Action, Resource } from '../../resource.ts';
import type { JsonSchema } from '../json-schema.ts';
import { describeType } from './field.ts';
import type { ButtonPage, OperationPage } from './page.ts';

export const hasButton = (page: OperationPage | undefined): page is ButtonPage =>
  page !== undefined && 'button' in page;

/** The page note of an action, with the permissions that follow from its access. */
export function pageOf({ page, access, reaches }: Action, resource: Resource): OperationPage {
  if (!hasButton(page)) return page;
  if (reaches || access === 'superuser') return { ...page, needs: [superuser] };
  return { ...page, needs: page.needs ?? permissionsFor(access, resource) };
}

const superuser = 'superuser';

function permissionsFor(access: Action['access'], resource: Resource): string[] {
  if (typeof access === 'object') return [access.permission];
  return access === 'change' ? [resource.permission('change')] : [];
}

/** The permissions that the buttons of a resource take. */
export const buttonPermissions = (resource: Resource): string[] => permissionsOf(resource.actions ?? [], resource);

/** The same on the page of an object, and those of actions that pages made by hand offer. */
export const rowPermissions = (resource: Resource): string[] => {
  const actions = (resource.actions ?? []).filter(({ on }) => on === 'row');
  const byHand = actions.flatMap(({ access }) => (typeof access === 'object' ? [access.permission] : []));
  return [...new Set([...permissionsOf(actions, resource), ...byHand])];
};

function permissionsOf(actions: readonly Action[], resource: Resource): string[] {
  const pages = actions.map((action) => pageOf(action, resource)).filter(hasButton);
  return [...new Set(pages.flatMap(({ needs = [] }) => needs))].filter((one) => one !== superuser);
}

/** A parameter or a member of an answer, with a label for pages. */
export const withLabel = (name: string, schema: JsonSchema): JsonSchema =>
  schema.$ref ? schema : { 'x-field': describeType(name, schema), ...schema };

export const withLabels = ({ properties, ...schema }: JsonSchema): JsonSchema => ({
  ...schema,
  ...(properties && {
    properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, withLabel(name, one)])),
  }),
});
