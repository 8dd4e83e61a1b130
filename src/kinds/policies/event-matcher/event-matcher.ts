import { appLabelOf } from '../../../core/event/app-names.ts';
import { asText, isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { verbatim } from '../../../lib/texts/message.ts';
import { definePolicyKind, pass, refuse } from '../../../policy/kind.ts';
import { eventMatcherPolicy } from './event-matcher.resource.ts';

export const eventMatcher = definePolicyKind({
  resource: eventMatcherPolicy,
  mightMatch: ({ action: wanted }, action) => wanted === null || isAction(wanted, action),
  evaluate({ action, app, model, client_ip }, { context }) {
    const { event } = context;
    if (!isJsonObject(event)) throw new Error('There is no event in the context of the request.');
    // In English: only tests of a policy show them.
    const missed: string[] = [];
    if (action !== null && !isAction(action, event.action)) missed.push('Action did not match.');
    if (client_ip !== null && client_ip !== event.client_ip) missed.push('Client IP did not match.');
    if (app !== null && !isFrom(app, event.app)) missed.push('App did not match.');
    if (model !== null && model !== modelOf(event)) missed.push('Model did not match.');
    return missed.length === 0 ? pass : refuse(...missed.map(verbatim));
  },
});

/** `custom_` matches every event that expressions write. */
const isAction = (wanted: string, action: Json | undefined) =>
  wanted === action || (wanted === 'custom_' && asText(action).startsWith('custom_'));

const isFrom = (wanted: string, app: Json | undefined) => appLabelOf(wanted) === appLabelOf(asText(app));

function modelOf({ context }: JsonObject): string | null {
  const model = isJsonObject(context) ? context.model : undefined;
  return isJsonObject(model) ? `${asText(model.app)}.${asText(model.model_name)}` : null;
}
