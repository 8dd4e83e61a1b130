import { isJsonObject } from '../lib/json.ts';
import { nearestWord } from '../lib/nearest-word.ts';
import { type Complaints, Invalid } from '../lib/problem.ts';
import type { RequestFacts } from '../platform/http/request-facts.ts';
import type { Call } from './call.ts';
import type { Operation } from './operation.ts';

/** Whether the caller wants unknown names refused instead of ignored (RFC 7240, section 4.4). */
export function wantsStrict({ header }: RequestFacts): boolean {
  const prefer = header('prefer');
  return prefer !== undefined && /(^|,)\s*handling\s*=\s*"?strict"?\s*([,;]|$)/i.test(prefer);
}

export const strictApplied = { 'preference-applied': 'handling=strict' };

/** Refuses query parameters and members of the body that the operation does not know. Members that it only shows pass. */
export function checkNames(operation: Operation, call: Call): void {
  const parameters = operation.parameters.flatMap(({ name, in: place }) => (place === 'query' ? [name] : []));
  const complaints: Complaints = unknownNames(call.request.query.keys(), parameters, 'parameter');
  const members = operation.body?.upload ? undefined : operation.body?.schema.schema.properties;
  const body = members && call.body();
  if (members && isJsonObject(body)) {
    const shown = operation.answer.schema?.schema.properties ?? {};
    Object.assign(complaints, unknownNames(Object.keys(body), Object.keys({ ...members, ...shown }), 'member'));
  }
  if (Object.keys(complaints).length > 0) throw new Invalid(complaints);
}

function unknownNames(given: Iterable<string>, known: readonly string[], what: string): Complaints {
  const complaints: Complaints = {};
  for (const name of given) {
    if (known.includes(name)) continue;
    const nearest = nearestWord(name, known);
    complaints[name] = [`There is no such ${what}.${nearest === null ? '' : ` Did you mean "${nearest}"?`}`];
  }
  return complaints;
}
