import { sql } from 'kysely';
import { readObject } from '../../platform/db/read-list.ts';
import type { Call, Reply } from '../call.ts';
import { etagOf, matchesEtag } from '../etag.ts';
import { readContext } from '../fields/field.ts';
import { leftOut } from '../flags.ts';
import { findVisible, parseName } from '../read.ts';
import type { Engine, Resource } from '../resource.ts';
import { areLight } from '../weight.ts';

export async function retrieve(engine: Engine, resource: Resource, call: Call): Promise<Reply> {
  const { registry } = engine;
  const isLight = () => {
    const weighing = { registry, without: leftOut(call.request.query) };
    const name = parseName(resource, call.params[resource.param] ?? '');
    return areLight(call.db.read, resource, weighing, () => sql`${resource.row().col(resource.lookup)} = ${name}`);
  };
  const { raw } = await readObject(call.db, (read) => findVisible(engine, resource, call, read), isLight);
  const plan = engine.plan(resource, call);
  const context = readContext(call, registry);
  await plan.showAhead([raw], context);
  const body = JSON.stringify(plan.show(raw, context));
  const etag = etagOf(body);
  const condition = call.request.header('if-none-match');
  if (condition !== undefined && matchesEtag(condition, etag)) return { status: 304, headers: { etag } };
  return { status: 200, body, headers: { etag, 'content-type': 'application/json' } };
}
