import { isJsonObject } from '../../lib/json.ts';
import { nearestWord } from '../../lib/nearest-word.ts';
import { type Complaints, Invalid } from '../../lib/problem.ts';
import type { Words } from '../../lib/texts/message.ts';
import type { RequestFacts } from '../../platform/http/request-facts.ts';
import type { Call } from '../call.ts';
import type { JsonSchema } from '../document/json-schema.ts';
import type { Operation } from '../document/operation.ts';

/** Whether the caller wants unknown names refused instead of ignored (RFC 7240, section 4.4). */
export function wantsStrict({ header }: RequestFacts): boolean {
  const prefer = header('prefer');
  return prefer !== undefined && /(^|,)\s*handling\s*=\s*"?strict"?\s*([,;]|$)/i.test(prefer);
}

export const strictApplied = { 'preference-applied': 'handling=strict' };

/** Refuses query parameters and body members that the operation does not know. Read-only members are allowed. */
export function checkNames(operation: Operation, call: Call): void {
  const parameters = operation.parameters.flatMap(({ name, in: place }) => (place === 'query' ? [name] : []));
  const remaining = { complaints: maxComplaints, suggestions: maxSuggestions };
  const complaints: Complaints = unknownNames(call.request.query.keys(), parameters, 'parameter', remaining);
  const members = operation.body?.upload ? undefined : operation.body?.schema.schema.properties;
  const body = members && call.body();
  if (members && isJsonObject(body)) {
    const shown = operation.answer.schema?.schema.properties ?? {};
    Object.assign(complaints, unknownMembers(body, members, shown, remaining));
  }
  if (Object.keys(complaints).length > 0) throw new Invalid(complaints);
}

/** More complaints about one request would not help. */
const maxComplaints = 100;
const maxSuggestions = 20;

/** What is left for the rest of the request. */
interface Remaining {
  complaints: number;
  suggestions: number;
}

type Members = Readonly<Record<string, JsonSchema>>;

/** The same for an object, including nested objects and lists of objects with declared members. */
export function unknownMembers(
  body: Readonly<Record<string, unknown>>,
  members: Members,
  shown: Members = {},
  remaining: Remaining = { complaints: maxComplaints, suggestions: maxSuggestions },
): Complaints {
  const complaints = unknownNames(Object.keys(body), Object.keys({ ...members, ...shown }), 'member', remaining);
  for (const [name, schema] of Object.entries(members)) {
    const inner = unknownWithin(body[name], schema, remaining);
    if (Object.keys(inner).length > 0) complaints[name] = inner;
  }
  return complaints;
}

/** By member, or by position in a list. */
function unknownWithin(value: unknown, schema: JsonSchema, remaining: Remaining): Record<string, Words[]> {
  const { properties, items } = [schema, ...(schema.anyOf ?? [])].find((one) => one.properties ?? one.items) ?? {};
  if (isJsonObject(value) && properties) return byName(unknownMembers(value, properties, {}, remaining));
  if (!Array.isArray(value) || !items) return {};
  const elements = value.map((element, index) => [index, unknownWithin(element, items, remaining)] as const);
  return Object.fromEntries(
    elements.flatMap(([index, inner]) => {
      const messages = Object.entries(inner).flatMap(([name, texts]) => texts.map((text) => `${name}: ${text}`));
      return messages.length > 0 ? [[String(index), messages]] : [];
    }),
  );
}

/** Messages of all levels, by the outermost name. */
export const byName = (complaints: Complaints): Record<string, Words[]> =>
  Object.fromEntries(
    Object.entries(complaints).map(([name, complaint]) => [
      name,
      Array.isArray(complaint) ? complaint : Object.values(complaint).flat(),
    ]),
  );

function unknownNames(
  given: Iterable<string>,
  known: readonly string[],
  what: string,
  remaining: Remaining,
): Complaints {
  const complaints: Complaints = {};
  const all = new Set(known);
  for (const name of given) {
    if (all.has(name)) continue;
    if (remaining.complaints === 0) break;
    remaining.complaints -= 1;
    const nearest = remaining.suggestions > 0 ? nearestWord(name, known) : null;
    remaining.suggestions -= 1;
    complaints[name] = [`There is no such ${what}.${nearest === null ? '' : ` Did you mean "${nearest}"?`}`];
  }
  return complaints;
}
