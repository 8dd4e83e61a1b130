import type { Database } from '../platform/db/database.ts';
import { randomUuid } from '../platform/random.ts';
import type { Call, ResourceWorld } from '../resource/call.ts';

const unknownAddress = '255.255.255.255';

/** A call that the server makes by itself: nobody's, with no request behind it. */
export function systemCall(db: Database, world: ResourceWorld, now: string): Call {
  return {
    actor: null,
    params: {},
    now,
    db,
    world,
    request: {
      id: randomUuid().replaceAll('-', ''),
      method: 'SYSTEM',
      path: '',
      query: new URLSearchParams(),
      clientIp: unknownAddress,
      userAgent: '',
      host: '',
      isSecure: false,
      cookies: {},
      header: () => undefined,
    },
    body: () => ({}),
    upload: async () => null,
  };
}
