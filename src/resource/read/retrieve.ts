import type { Query } from '../../platform/db/database.ts';
import { readList } from '../../platform/db/read-list.ts';
import type { Call, Reply } from '../call.ts';
import type { Engine, Resource } from '../resource.ts';
import { taggedReply } from './etag.ts';
import { findVisible, parseKey, showRow } from './read.ts';

export async function retrieve(engine: Engine, resource: Resource, call: Call): Promise<Reply> {
  const key = parseKey(resource, call.params[resource.param] ?? '');
  const raw = resource.beside?.holds(key)
    ? await resource.beside.read({ call, engine, tx: call.db.read, key })
    : (await reading(resource, call, (read) => findVisible({ engine, resource, call, tx: read }))).raw;
  return taggedReply(call, await showRow(engine, resource, call, raw));
}

/** An object that nests others, such as a group with its members, is read as a list is: they may be very many. */
const reading = <T>({ allFields }: Resource, { db }: Call, read: (query: Query) => Promise<T>): Promise<T> =>
  Object.values(allFields).some(({ storage }) => storage.in === 'nested' && storage.nest.many)
    ? readList(db, read)
    : read(db.read);
