import type { ActiveBinding } from './bindings.ts';
import type { Decider } from './deciders.ts';
import { CannotDecide } from './kind.ts';
import type { PolicyRequest } from './request.ts';

/** Includes membership through child groups: a user's facts list the ancestors of their groups. */
export const isMember = ({ group }: ActiveBinding, { user }: PolicyRequest) =>
  user?.groups.some(({ pk }) => pk === group) === true;

export const isUser = ({ user }: ActiveBinding, request: PolicyRequest) => user !== null && user === request.user?.pk;

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Hides the details of internal failures from the person who is refused. */
export const forPerson = (error: unknown) =>
  error instanceof CannotDecide ? error.message : 'The policy could not be evaluated.';

export const deciderOf = (
  { pk, group, user }: ActiveBinding,
  passing: boolean,
  policy?: { readonly name: string },
): Decider => ({
  binding: pk,
  passing,
  policy: policy?.name ?? null,
  group,
  user,
});
