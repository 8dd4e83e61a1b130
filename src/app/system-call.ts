import type { Database } from '../platform/db/database.ts';
import { randomUuid } from '../platform/random.ts';
import { type Call, callOf, type ResourceWorld } from '../resource/call.ts';

const unknownAddress = '255.255.255.255';

/** A call by the server itself, without actor and request. */
export function systemCall(db: Database, world: ResourceWorld, now: string): Call {
  const facts = {
    id: randomUuid().replaceAll('-', ''),
    method: 'SYSTEM',
    path: '',
    query: new URLSearchParams(),
    clientIp: unknownAddress,
    userAgent: '',
    host: '',
    authority: '',
    isForwarded: false,
    isSecure: false,
    cookies: {},
    header: () => undefined,
  };
  return callOf({ facts, params: {} }, { db, world }, { now });
}
