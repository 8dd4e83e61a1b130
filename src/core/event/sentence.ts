import { isJsonObject, type Json } from '../../lib/json.ts';
import { eventActions } from './actions.ts';

export interface RecordedEvent {
  readonly action: string;
  readonly context: { readonly [name: string]: Json };
  readonly user: { readonly [name: string]: Json };
}

/** Describes an event in plain words, for notifications, mails and webhooks; the data go alongside. */
export function sentenceOf(event: RecordedEvent): string {
  const { action, context } = event;
  const sentence = sentences[action]?.(event) ?? null;
  if (sentence !== null) return sentence;
  if (typeof context.message === 'string' && context.message !== '') return context.message;
  const names: Readonly<Record<string, string>> = eventActions;
  return `${names[action] ?? action.replace(/^custom_/, 'Custom event ')} (${whoOf(event)}).`;
}

type Sentence = (event: RecordedEvent) => string | null;

/** By action. Null where the event's own message says it better. */
const sentences: Readonly<Record<string, Sentence>> = {
  login: (event) => `${whoOf(event)} signed in.`,
  logout: (event) => `${whoOf(event)} was signed out.`,
  login_failed: ({ context }) => `Somebody failed to sign in as ${textOf(context.username) ?? 'an unknown user'}.`,
  user_write: ({ context }) =>
    context.created === true
      ? `${nameOf(context.model)} made an account.`
      : `${nameOf(context.model)} changed their account.`,
  password_set: (event) => {
    if (typeof event.context.message === 'string') return null;
    const whose = nameOf(event.context.model);
    return whose === whoOf(event)
      ? `${whose} changed their password.`
      : `${whoOf(event)} set the password of ${whose}.`;
  },
  secret_view: (event) => `${whoOf(event)} looked at a secret of ${nameOf(event.context.secret)}.`,
  invitation_used: ({ context }) => `The invitation ${nameOf(context.invitation)} was used.`,
  authorize_application: (event) => `${whoOf(event)} signed in to ${nameOf(event.context.authorized_application)}.`,
  source_linked: (event) => `${whoOf(event)} linked an account of the source ${nameOf(event.context.source)}.`,
  impersonation_started: (event) => `${whoOf(event)} began to act as ${nameOf(event.context.model)}.`,
  impersonation_ended: (event) => `${whoOf(event)} stopped acting as ${nameOf(event.context.model)}.`,
  model_created: (event) => `${whoOf(event)} created ${objectOf(event.context.model)}.`,
  model_updated: (event) => `${whoOf(event)} changed ${objectOf(event.context.model)}${membersOf(event.context.diff)}.`,
  model_deleted: (event) => `${whoOf(event)} deleted ${objectOf(event.context.model)}.`,
  policy_execution: (event) => turnedAway(event),
  policy_exception: ({ context }) => failure(`The policy ${textOf(context.policy_name) ?? ''}`, context.message),
  property_mapping_exception: ({ context }) =>
    textOf(context.task) === null ? failure('A property mapping', context.message) : null,
};

/** “dana was turned away from Grafana by the policy staff only.” */
function turnedAway(event: RecordedEvent): string | null {
  const { application, result, decided_by } = event.context;
  if (!isJsonObject(application) || !isJsonObject(result) || result.passing !== false) return null;
  const by = Array.isArray(decided_by) ? decided_by.flatMap((one) => textOf(one) ?? []) : [];
  const messages = Array.isArray(result.messages) ? result.messages.flatMap((one) => textOf(one) ?? []) : [];
  const reasons = messages.length > 0 ? ` ${messages.join(' ')}` : '';
  return `${whoOf(event)} was turned away from ${nameOf(application)}${by.length > 0 ? ` by ${by.join(', ')}` : ''}.${reasons}`;
}

const failure = (what: string, message: Json | undefined): string =>
  `${what} failed: ${textOf(message) ?? 'no reason given'}`;

const textOf = (value: Json | undefined): string | null => (typeof value === 'string' && value !== '' ? value : null);

function whoOf({ user }: RecordedEvent): string {
  if (user.is_anonymous === true) return 'Somebody who is not signed in';
  const name = textOf(user.username) ?? 'The server';
  return isJsonObject(user.on_behalf_of) ? `${name} (acting as ${textOf(user.on_behalf_of.username) ?? ''})` : name;
}

const nameOf = (object: Json | undefined): string =>
  (isJsonObject(object) ? (textOf(object.name) ?? textOf(object.username)) : null) ?? 'something without a name';

const objectOf = (model: Json | undefined): string =>
  isJsonObject(model) ? `the ${textOf(model.model_name) ?? 'object'} ${nameOf(model)}` : 'an object';

const membersOf = (diff: Json | undefined): string =>
  isJsonObject(diff) && Object.keys(diff).length > 0 ? ` (${Object.keys(diff).join(', ')})` : '';
