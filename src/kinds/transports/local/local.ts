import { sql } from 'kysely';
import type { TransportKind } from '../../../notify/transport-kind.ts';

/** Shown in the pages of Gatehouse. Stored once, however often it is delivered. */
export const localTransport: TransportKind = {
  mode: 'local',
  name: 'Local (in-app) notification',
  async store({ pk, severity, text, now, user, event }, tx) {
    await sql`insert into notifications (pk, severity, body, created, event, "user", seen)
      values (${pk}, ${severity}, ${text}, ${now}, ${event?.pk ?? null}, ${user.pk}, false) on conflict do nothing`.execute(
      tx,
    );
    return 'Stored.';
  },
};
