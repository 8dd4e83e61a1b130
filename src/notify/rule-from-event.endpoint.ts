import { assignableModels } from '../core/access/models.ts';
import { bindingModel } from '../core/application/models.ts';
import { eventActions } from '../core/event/actions.ts';
import { appLabelOf, appNames } from '../core/event/app-names.ts';
import { isJsonObject } from '../lib/json.ts';
import { Invalid, Problem } from '../lib/problem.ts';
import { checkMayAdd, isVisible } from '../resource/access/access.ts';
import { requireActor } from '../resource/call.ts';
import { objectSchema, uuidSchema } from '../resource/document/json-schema.ts';
import { defineEndpoint, type Endpoint } from '../resource/endpoint.ts';
import { missingObject, ref } from '../resource/fields/ref.ts';
import { createRow } from '../resource/write/write-row.ts';
import { loadEvents } from './load.ts';
import { ruleFields } from './rule.resource.ts';
import type { EventFacts } from './transport-kind.ts';

const eventModel = 'svc_events.event';
const ruleModel = 'svc_events.notificationrule';
const policyModel = 'svc_policies.policy';
const matcherModel = 'svc_policies_event_matcher.eventmatcherpolicy';

/** Creates a rule for events like a given one, with its event matcher and the binding of the two, atomically. */
export const ruleFromEvent: Endpoint = defineEndpoint({
  id: 'events_rules_from_event_create',
  method: 'POST',
  path: '/events/rules/from_event/',
  page: { noButton: 'The page Events offers it at an event.' },
  summary: 'Create a notification rule for events like this one',
  async access({ call, engine: { registry } }) {
    for (const model of [ruleModel, matcherModel, bindingModel]) checkMayAdd(registry.require(model), call);
    // A binding requires the right to change its target and to view its policy; neither exists yet.
    const { holds } = requireActor(call);
    const change = registry.require(ruleModel).permission('change');
    const view = registry.require(matcherModel).permission('view');
    if (!holds(change)) throw Problem.lacks(change);
    if (!holds(view) && !holds(registry.require(policyModel).permission('view'))) throw Problem.lacks(view);
  },
  body: {
    event: ref(eventModel, 'uuid', { help: 'The event: the rule reacts to those of its action, app and model.' }),
    name: ruleFields.name,
    transports: ruleFields.transports,
    severity: ruleFields.severity,
    group: ref('svc_core.group', 'uuid', { help: 'The group that is notified.', isObvious: true }),
  },
  bodySchema: 'NotificationRuleFromEventRequest',
  answer: {
    status: 201,
    schema: objectSchema({ rule: uuidSchema, policy: uuidSchema, binding: uuidSchema }),
    schemaName: 'NotificationRuleFromEvent',
  },
  async run({ call, engine, tx, values: { event: key, ...rule } }) {
    const { registry } = engine;
    const [event] = (await isVisible(registry.require(eventModel), key, call, registry))
      ? await loadEvents(tx, [key])
      : [];
    if (!event) throw new Invalid({ event: [missingObject(key)] });
    const create = async (model: string, body: Readonly<Record<string, unknown>>) =>
      (await createRow({ engine, resource: registry.require(model), call, tx }, body)).pk;
    const target = await create(ruleModel, rule);
    const policy = await create(matcherModel, { name: rule.name, ...matcherOf(event) });
    const binding = await create(bindingModel, { target, policy, order: 0 });
    return { rule: target, policy, binding };
  },
});

/** The values that an event matcher can compare; with others it would match nothing. Any client address matches. */
function matcherOf({ action, app, context: { model } }: EventFacts) {
  const modelName = isJsonObject(model) ? `${model.app}.${model.model_name}` : '';
  return {
    action: Object.hasOwn(eventActions, action) ? action : 'custom_',
    app: appNames.find((name) => appLabelOf(name) === appLabelOf(app)) ?? null,
    model: assignableModels.includes(modelName) ? modelName : null,
  };
}
