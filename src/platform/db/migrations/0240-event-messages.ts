import type { Migration } from '../migrate.ts';

/** The texts and values of messages in the context of events, from which sentences in other languages are made. */
export const eventMessages: Migration = {
  name: '0240-event-messages',
  statements: (dialect) => [`alter table "events" add column "messages" ${dialect.columnType('json')}`],
};
