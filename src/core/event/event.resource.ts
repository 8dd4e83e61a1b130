import { type RawBuilder, sql } from 'kysely';
import { readAddress } from '../../lib/cidr.ts';
import { asObject, asText } from '../../lib/json.ts';
import { memoizeWeakly } from '../../lib/memoize.ts';
import type { Call } from '../../resource/call.ts';
import { defineResource } from '../../resource/define.ts';
import { type JsonSchema, stringSchema, timeSchema } from '../../resource/document/json-schema.ts';
import { accept, complain, type Field, hidden } from '../../resource/fields/field.ts';
import { integer, time } from '../../resource/fields/scalar.ts';
import { json } from '../../resource/fields/structured.ts';
import { noChoice, text } from '../../resource/fields/text.ts';
import { oneOfFilter } from '../../resource/list/filters.ts';
import type { Filter, Resource } from '../../resource/resource.ts';
import { languageOfCaller } from '../brand/language.ts';
import type { SettingsStore } from '../settings/settings.ts';
import { customAction, eventActionLabels, eventActions, isEventAction } from './actions.ts';
import { clipped, eventColumns, keyText } from './columns.ts';
import { withoutDeletedUsers } from './deleted-users.ts';
import { exportAction } from './export.ts';
import { facetsAction } from './facets.ts';
import { actionsAction, perMonthAction, topPerUserAction, volumeAction } from './figures.ts';
import { readMoment } from './filtered.ts';
import { maskSecrets } from './mask.ts';
import { actorFacts, expiryOf, type OnEventRecorded } from './record.ts';
import { sentenceOf } from './sentence.ts';

const actionSchema: JsonSchema = {
  anyOf: [
    { type: 'string', enum: Object.keys(eventActions) },
    { type: 'string', pattern: customAction.source },
  ],
};

const action: Field<string> = {
  ...text({ help: 'What happened: a known action, or one of your own that begins with `custom_`.' }),
  labels: eventActionLabels,
  schema: actionSchema,
  requestSchema: actionSchema,
  parse: (value) =>
    typeof value === 'string' && isEventAction(value)
      ? accept(value)
      : complain(noChoice(asText(value), Object.keys(eventActions))),
};

/** A column that copies a part of the event. */
const copied = text({ ...hidden, internal: true, nullable: true });

interface Dependencies {
  readonly settings: SettingsStore;
  /** Called for each event created through the API. */
  readonly onRecorded: OnEventRecorded;
}

/**
 * Audit events: what happened, by whom and from where. The server writes them; callers with the permission may add
 * some.
 */
export function eventResource({ settings, onRecorded }: Dependencies): Resource {
  // Once for all rows of a page: it takes as long as their sentences.
  const languageFor = memoizeWeakly((call: Call) => languageOfCaller(call));
  return defineResource({
    path: '/events/events/',
    param: 'event_uuid',
    key: 'uuid',
    model: 'svc_events.event',
    schema: 'Event',
    names: ['Event', 'Events'],
    table: 'events',
    order: ['-created'],
    page: {
      columns: ['sentence', 'action', 'user', 'app', 'client_ip', 'created'],
      notInSearch: 'Events have a page with a search of its own.',
    },
    search: ['words'],
    hasSearchIndex: true,
    verbs: ['list', 'create', 'retrieve', 'update', 'partial_update', 'destroy'],
    visibility: { by: 'permission', always: withoutDeletedUsers },
    nameOf: (row) => row.action,
    filters: {
      action: textFilter('action'),
      actions: oneOfFilter('action'),
      brand_name: textFilter('brand_name'),
      context_authorized_app: keyFilter('authorized_app'),
      context_model_app: textFilter('model_app'),
      context_model_name: textFilter('model_name'),
      context_model_pk: keyFilter('model_pk'),
      username: usernameFilter,
      created__gte: timeFilter((column, moment) => sql`${column} >= ${moment}`),
      created__lt: timeFilter((column, moment) => sql`${column} < ${moment}`),
    },
    fields: {
      user: json({
        anyValue: true,
        default: (call) => actorFacts(call.actor),
        help: 'The user who caused it.',
        isObvious: true,
      }),
      action,
      app: text({ help: 'The part of the server that wrote the event.' }),
      context: json({ anyValue: true, default: () => ({}), help: 'Further data about the event.' }),
      client_ip: text({
        nullable: true,
        default: null,
        filter: true,
        check: addressComplaint,
        help: 'The address that the request came from.',
      }),
      created: time({ readOnly: true, default: (call) => call.now }),
      expires: time<true>({ required: false, help: 'When the event is deleted.' }),
      brand: json({ anyValue: true, default: () => ({}), help: 'The brand under which it happened.' }),
      user_pk: integer({ ...hidden, internal: true, nullable: true }),
      username: copied,
      subject: copied,
      model_app: copied,
      model_name: copied,
      model_pk: copied,
      authorized_app: copied,
      brand_name: copied,
      words: copied,
      messages: json({ ...hidden, nullable: true, default: null }),
    },
    async check({ values, call }) {
      values.user = maskSecrets(values.user);
      values.context = maskSecrets(values.context);
      values.expires ??= expiryOf(call.now, await settings.current(), String(values.action));
      Object.assign(values, eventColumns(values));
      return null;
    },
    async afterWrite({ verb, pk, tx, call }) {
      if (verb === 'create') await onRecorded(tx, call, pk);
    },
    derived: {
      sentence: {
        schema: stringSchema,
        from: ({ action, user, context, messages }, { call }) =>
          sentenceOf(languageFor(call), {
            action,
            user: asObject(user),
            context: asObject(context),
            messages: asObject(messages),
          }),
      },
    },
    actions: [actionsAction, volumeAction, topPerUserAction, perMonthAction, facetsAction, exportAction],
  });
}

const addressComplaint = (address: string) => (readAddress(address) ? null : 'Enter a valid IPv4 or IPv6 address.');

const exactly = (column: string, read: (text: string) => string | null): Filter => ({
  schema: { type: 'string' },
  condition: ({ texts, row }) => sql`${row.col(column)} = ${read(clipped(texts.at(-1) ?? ''))}`,
});
const timeFilter = (compare: (column: RawBuilder<unknown>, moment: string) => RawBuilder<unknown>): Filter => ({
  schema: timeSchema,
  condition({ texts, row }) {
    const moment = readMoment(texts.at(-1));
    return moment ? compare(row.col('created'), moment) : { complaint: 'Enter a valid date/time.' };
  },
});
const textFilter = (column: string): Filter => exactly(column, (given) => given);
const keyFilter = (column: string): Filter => exactly(column, keyText);

/** The actor or the subject of the event. */
const usernameFilter: Filter = {
  schema: { type: 'string' },
  condition({ texts, row }) {
    const username = clipped(texts.at(-1) ?? '');
    return sql`(${row.col('username')} = ${username} or ${row.col('subject')} = ${username})`;
  },
};
