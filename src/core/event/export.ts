import { Readable } from 'node:stream';
import { type RawBuilder, sql } from 'kysely';
import { asText, memberOf } from '../../lib/json.ts';
import { Invalid } from '../../lib/problem.ts';
import { languages } from '../../lib/texts/languages.ts';
import { readList } from '../../platform/db/read-list.ts';
import type { Call } from '../../resource/call.ts';
import { stringSchema } from '../../resource/document/json-schema.ts';
import { ReplyWith } from '../../resource/document/operations.ts';
import { type Row, readContext } from '../../resource/fields/field.ts';
import { noChoice } from '../../resource/fields/text.ts';
import { whereAll } from '../../resource/list/list.ts';
import type { Action, ActionInput } from '../../resource/resource.ts';
import { eventConditions, eventModel, eventParameters } from './filtered.ts';

const formats = ['csv', 'ndjson'] as const;
const rowsAtOnce = 500;
/** More than this is a matter for a backup. */
const maxRows = 100_000;

/** Writes filtered events to a file, newest first, as they are read. */
export const exportAction: Action = {
  name: 'export',
  on: 'set',
  method: 'GET',
  operation: 'export_retrieve',
  page: { noButton: 'The page Events downloads it.' },
  summary: `Download filtered events as CSV or NDJSON, newest first; no more than ${maxRows}`,
  access: 'authenticated',
  query: {
    ...eventParameters,
    as: { type: 'string', enum: formats, default: 'csv' },
    language: { type: 'string', enum: languages },
  },
  answer: { status: 200, schema: stringSchema, file: 'text/csv' },
  async run(input) {
    const text = input.call.request.query.get('as') || 'csv';
    const format = formats.find((one) => one === text);
    if (!format) throw Invalid.field('as', noChoice(text, formats));
    const found = await eventConditions(input);
    const worded = { ...input, call: inLanguage(input.call) };
    const lines = format === 'csv' ? csvLines(worded, found) : jsonLines(worded, found);
    return new ReplyWith(200, Readable.from(lines), {
      'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
      'content-disposition': `attachment; filename="events.${format}"`,
    });
  },
};

/** A link cannot say in a header which language its page is in. */
function inLanguage(call: Call): Call {
  const text = call.request.query.get('language');
  if (!text) return call;
  const language = languages.find((one) => one === text);
  if (!language) throw Invalid.field('language', noChoice(text, languages));
  const header = (name: string) => (name === 'accept-language' ? language : call.request.header(name));
  return { ...call, request: { ...call.request, header } };
}

type Conditions = readonly RawBuilder<unknown>[];

/** The events as the API shows them, a batch at a time; each batch begins where the last one ended. */
async function* batches({ call, engine, registry }: ActionInput, conditions: Conditions): AsyncGenerator<Row[]> {
  const resource = registry.require(eventModel);
  const plan = engine.plan(resource, call, 'listed');
  let last: Row | undefined;
  for (let count = 0; count < maxRows; ) {
    const after = last ? [sql`(t.created, t.pk) < (${last.created}, ${last.pk})`] : [];
    const query = sql<Row>`select ${plan.list} from ${resource.from()} ${whereAll([...conditions, ...after])}
      order by t.created desc, t.pk desc limit ${Math.min(rowsAtOnce, maxRows - count)}`;
    const { rows } = await readList(call.db, (read) => query.execute(read));
    const context = readContext(call, registry);
    const shown = rows.map((raw) => plan.show(raw, context));
    if (shown.length > 0) yield shown;
    count += shown.length;
    last = shown.at(-1);
    if (shown.length < rowsAtOnce) return;
  }
}

async function* jsonLines(input: ActionInput, found: Conditions): AsyncGenerator<string> {
  for await (const rows of batches(input, found)) yield `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`;
}

const columns: Readonly<Record<string, (row: Row) => unknown>> = {
  created: (row) => row.created,
  action: (row) => row.action,
  sentence: (row) => row.sentence,
  username: (row) => memberOf(row.user, 'username'),
  client_ip: (row) => row.client_ip,
  app: (row) => row.app,
  application: (row) => memberOf(memberOf(row.context, 'authorized_application'), 'name'),
  model: (row) => memberOf(memberOf(row.context, 'model'), 'model_name'),
  object: (row) => memberOf(memberOf(row.context, 'model'), 'name'),
  request_id: (row) => memberOf(memberOf(row.context, 'http_request'), 'request_id'),
  pk: (row) => row.pk,
};

async function* csvLines(input: ActionInput, found: Conditions): AsyncGenerator<string> {
  yield `${Object.keys(columns).join(',')}\r\n`;
  for await (const rows of batches(input, found)) yield rows.map(csvLine).join('');
}

const csvLine = (row: Row): string =>
  `${Object.values(columns)
    .map((pick) => csvCell(pick(row)))
    .join(',')}\r\n`;

/** CSV injection (OWASP): spreadsheets evaluate cells that begin like a formula; an apostrophe makes them text. */
export function csvCell(value: unknown): string {
  const text = value === null || value === undefined ? '' : asText(value);
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
