import type { Call } from '../call.ts';
import type { Resource } from '../resource.ts';

/** The rows that a request has created. Until it ends, the caller may use them and refer to them. */
const created = new WeakMap<Call['request'], Set<string>>();

const nameOf = ({ rootTable }: Resource, pk: string | number): string => `${rootTable} ${pk}`;

export function rememberCreated({ request }: Call, resource: Resource, pk: string | number): void {
  const known = created.get(request) ?? new Set<string>();
  created.set(request, known.add(nameOf(resource, pk)));
}

export const isCreatedBy = ({ request }: Call, resource: Resource, pk: string | number): boolean =>
  created.get(request)?.has(nameOf(resource, pk)) ?? false;
