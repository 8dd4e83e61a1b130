import { isJsonObject, type Json } from '../../../lib/json.ts';
import type { NewEvent } from '../../../resource/call.ts';
import { findUnstorable } from '../../../resource/fields/well-formed.ts';

const maxEvents = 10;
const maxContextLength = 10_000;
const actionName = /^[\w.-]{1,80}$/;
const prefix = 'custom_';

/**
 * Lets expressions write events. Their actions get a prefix of their own, so that an expression cannot forge a sign-in
 * or a change.
 */
export function eventWriter(events: NewEvent[]): (action: Json, context?: Json) => Json {
  return (action, context = {}) => {
    const name = String(action).replace(prefix, '');
    if (!actionName.test(name))
      throw new TypeError('the name of an event has 1 to 80 letters, digits, points or dashes');
    if (!isJsonObject(context)) throw new TypeError('the context of an event is an object');
    if (findUnstorable(context) !== null) throw new TypeError('the context of an event holds what cannot be stored');
    if (JSON.stringify(context).length > maxContextLength) throw new RangeError('the context of an event is too large');
    if (events.length >= maxEvents) throw new RangeError(`an expression writes at most ${maxEvents} events`);
    events.push({ action: `${prefix}${name}`, app: 'svc_policies_expression', context });
    return null;
  };
}
