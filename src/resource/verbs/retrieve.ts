import { readObject } from '../../platform/db/read-list.ts';
import type { Call, Reply } from '../call.ts';
import { etagOf, matchesEtag } from '../etag.ts';
import { findVisible, parseKey, showRow } from '../read.ts';
import type { Engine, Resource } from '../resource.ts';

export async function retrieve(engine: Engine, resource: Resource, call: Call): Promise<Reply> {
  const key = parseKey(resource, call.params[resource.param] ?? '');
  const raw = resource.beside?.holds(key)
    ? await resource.beside.read({ call, engine, tx: call.db.read, key })
    : (await readObject(call.db, (read) => findVisible(engine, resource, call, read), resource)).raw;
  const body = JSON.stringify(await showRow(engine, resource, call, raw));
  const etag = etagOf(body);
  const condition = call.request.header('if-none-match');
  if (condition !== undefined && matchesEtag(condition, etag)) return { status: 304, headers: { etag } };
  return { status: 200, body, headers: { etag, 'content-type': 'application/json' } };
}
