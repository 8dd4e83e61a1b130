import { readObject } from '../../platform/db/read-list.ts';
import type { Call, Reply } from '../call.ts';
import { etagOf, matchesEtag } from '../etag.ts';
import { readContext } from '../fields/field.ts';
import { findVisible } from '../read.ts';
import type { Engine, Resource } from '../resource.ts';

export async function retrieve(engine: Engine, resource: Resource, call: Call): Promise<Reply> {
  const { raw } = await readObject(call.db, (read) => findVisible(engine, resource, call, read), resource);
  const plan = engine.plan(resource, call);
  const context = readContext(call, engine.registry);
  await plan.showAhead([raw], context);
  const body = JSON.stringify(plan.show(raw, context));
  const etag = etagOf(body);
  const condition = call.request.header('if-none-match');
  if (condition !== undefined && matchesEtag(condition, etag)) return { status: 304, headers: { etag } };
  return { status: 200, body, headers: { etag, 'content-type': 'application/json' } };
}
