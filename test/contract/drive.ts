import type { Operation } from '../../src/resource/document/operation.ts';
import type { Ground } from './every-resource.ts';
import { operationHints } from './hints.ts';
import { sampleOfSchema } from './sample.ts';

export interface PreparedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** A request that makes the operation succeed, on a new object where it is about one. */
export async function prepareRequest(ground: Ground, operation: Operation): Promise<PreparedRequest> {
  return {
    method: operation.method,
    path: await pathOf(ground, operation),
    body: await bodyOf(ground, operation),
  };
}

/** The path of an operation with the key of a new object in it, and its query. */
async function pathOf({ server, make, hinting }: Ground, operation: Operation): Promise<string> {
  const hint = operationHints[operation.id];
  const given = (await hint?.params?.(hinting())) ?? {};
  let { path } = operation;
  if (path.includes('{')) {
    const { resources } = server.app.engine.registry;
    const owner = resources
      .filter((resource) => path.startsWith(`${resource.path}{`))
      .find((resource) => path.startsWith(`${resource.path}{${resource.param}}/`));
    if (owner && given[owner.param] === undefined) {
      const sample = await make(owner.model);
      // An alternate resource has another path to the same row.
      const key = sample.path.slice(sample.resource.path.length);
      path = path.replace(`${owner.path}{${owner.param}}/`, `${owner.path}${key}`);
    }
  }
  path = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = given[name];
    if (value === undefined) throw new Error(`${operation.id}: a hint has to say what {${name}} is`);
    return encodeURIComponent(value);
  });
  return hint?.query ? `${path}?${hint.query}` : path;
}

async function bodyOf({ server, bodyFor, hinting }: Ground, operation: Operation): Promise<unknown> {
  const hinted = await operationHints[operation.id]?.body?.(hinting());
  if (hinted !== undefined || !operation.body) return hinted;
  if (operation.body.upload) {
    const form = new FormData();
    form.set('file', new Blob(['<svg xmlns="http://www.w3.org/2000/svg"/>'], { type: 'image/svg+xml' }), 'sample.svg');
    return form;
  }
  const verb = /_(create|update|partial_update)$/.exec(operation.id)?.[1];
  const resource = server.app.engine.registry.resources.find(
    ({ operationPrefix, verbs }) =>
      operation.id === `${operationPrefix}_${verb}` && verbs.some((offered) => offered === verb),
  );
  return resource ? bodyFor(resource) : sampleOfSchema('sample', operation.body.schema.schema, hinting().number);
}
