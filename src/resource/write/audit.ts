import { isDeepStrictEqual } from 'node:util';
import type { Row } from '../fields/field.ts';
import type { OperationContext, Resource } from '../resource.ts';

export const masked = '********************';

type ModelFacts = { app: string; model_name: string; pk: string | number; name: string };

/** The object of an event. */
export function modelFacts(resource: Resource, pk: string | number, values: Row): ModelFacts {
  return {
    app: resource.app,
    model_name: resource.modelName,
    pk: typeof pk === 'string' && resource.key === 'uuid' ? pk.replaceAll('-', '') : pk,
    name: nameOf(resource, values),
  };
}

export function nameOf(resource: Resource, values: Row): string {
  if (resource.nameOf) return resource.nameOf(values);
  return typeof values.name === 'string' ? values.name : resource.names[0];
}

/** The members that changed, secrets masked. What the server sets on every write says nothing about a change. */
export function diffOf(resource: Resource, before: Row | null, after: Row): Row {
  const diff: Row = {};
  for (const [name, field] of Object.entries(resource.allFields)) {
    if (field.storage.in !== 'column' && field.storage.in !== 'join') continue;
    if (!(name in after) || (before && field.onWrite)) continue;
    const previous = before?.[name] ?? null;
    const next = after[name] ?? null;
    if (before && isDeepStrictEqual(previous, next)) continue;
    diff[name] = {
      previous_value: field.secret && previous !== null ? masked : previous,
      new_value: field.secret && next !== null ? masked : next,
    };
  }
  return diff;
}

interface RecordedWrite extends Pick<OperationContext, 'resource' | 'call' | 'tx'> {
  readonly pk: string | number;
  readonly values: Row;
  readonly diff: Row | null;
}

export function recordWrite(
  action: 'model_created' | 'model_updated' | 'model_deleted',
  { resource, pk, values, diff, call, tx }: RecordedWrite,
): Promise<void> {
  const context = { model: modelFacts(resource, pk, values), ...(diff && { diff }) };
  return call.world.record(tx, call, { action, app: resource.app, context });
}
