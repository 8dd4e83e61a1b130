import { readObject } from '../../platform/db/read-list.ts';
import type { Call, Reply } from '../call.ts';
import { taggedReply } from '../etag.ts';
import { findVisible, parseKey, showRow } from '../read.ts';
import type { Engine, Resource } from '../resource.ts';

export async function retrieve(engine: Engine, resource: Resource, call: Call): Promise<Reply> {
  const key = parseKey(resource, call.params[resource.param] ?? '');
  const raw = resource.beside?.holds(key)
    ? await resource.beside.read({ call, engine, tx: call.db.read, key })
    : (await readObject(call.db, (read) => findVisible(engine, resource, call, read), resource)).raw;
  return taggedReply(call, await showRow(engine, resource, call, raw));
}
