import { isJsonObject, type Json } from '../../lib/json.ts';
import type { Language } from '../../lib/texts/languages.ts';
import { say, type Text, translate } from '../../lib/texts/translate.ts';
import { eventActions } from './actions.ts';
import { type EventMessages, wordsOfEvent } from './messages.ts';
import { objectPhrase } from './object-phrase.ts';

export interface RecordedEvent {
  readonly action: string;
  readonly context: { readonly [name: string]: Json };
  readonly user: { readonly [name: string]: Json };
  readonly messages?: EventMessages | null;
}

/** Describes an event in a sentence, for pages, notifications, mails and webhooks, which also contain its data. */
export function sentenceOf(language: Language, event: RecordedEvent): string {
  const { action, context, messages = null } = event;
  const words: Words = (text, values) => say(language, text, values);
  const sentence = sentences[action]?.(event, words, language) ?? null;
  if (sentence !== null) return sentence;
  if (typeof context.message === 'string' && context.message !== '')
    return wordsOfEvent(language, messages, context.message);
  const names: Readonly<Record<string, string>> = eventActions;
  const name = names[action];
  const title = name
    ? translate(language, name)
    : words('Custom event {name}', { name: action.replace(/^custom_/, '') });
  return `${title} (${whoOf(event, words)}).`;
}

type Words = (text: Text, values?: Readonly<Record<string, string>>) => string;
type Sentence = (event: RecordedEvent, words: Words, language: Language) => string | null;

const about =
  (text: Text, member: string): Sentence =>
  (event, words) =>
    words(text, { who: whoOf(event, words), name: nameOf(event.context[member], words) });

const change =
  (text: Text): Sentence =>
  (event, words, language) =>
    words(text, { who: whoOf(event, words), object: objectOf(event.context.model, words, language) });

const inactive = 'A sign-in as {name} failed: the account is not active.';

/** By action. Null where the event's own message is better. */
const sentences: Readonly<Record<string, Sentence>> = {
  login: (event, words) => words('{who} signed in.', { who: whoOf(event, words) }),
  logout: (event, words) => {
    const who = whoOf(event, words);
    const name = event.context.model ? nameOf(event.context.model, words) : who;
    return name === who ? words('{who} was signed out.', { who }) : words('{who} signed {name} out.', { who, name });
  },
  login_failed: ({ context }, words) =>
    words(context.reason === 'inactive' ? inactive : 'A sign-in as {name} failed.', {
      name: textOf(context.username) ?? words('an unknown user'),
    }),
  user_write: ({ context }, words) =>
    words(context.created === true ? '{who} created an account.' : '{who} changed their account.', {
      who: nameOf(context.model, words),
    }),
  password_set: (event, words) => {
    if (typeof event.context.message === 'string') return null;
    const [who, name] = [whoOf(event, words), nameOf(event.context.model, words)];
    return name === who
      ? words('{who} changed their password.', { who })
      : words('{who} set the password of {name}.', { who, name });
  },
  secret_view: (event, words, language) =>
    event.context.backup
      ? words('{who} downloaded a backup.', { who: whoOf(event, words) })
      : about('{who} viewed a secret of {name}.', 'secret')(event, words, language),
  invitation_used: ({ context }, words) =>
    words('The invitation {name} was used.', { name: nameOf(context.invitation, words) }),
  authorize_application: about('{who} signed in to {name}.', 'authorized_application'),
  source_linked: about('{who} linked an account of the source {name}.', 'source'),
  impersonation_started: about('{who} began to act as {name}.', 'model'),
  impersonation_ended: about('{who} stopped acting as {name}.', 'model'),
  custom_access_request: about('{who} asks for access to {name}.', 'model'),
  model_created: change('{who} created {object}.'),
  model_updated: (event, words, language) => {
    const { diff, model, member } = event.context;
    if (isJsonObject(member) && isJsonObject(diff) && isJsonObject(diff.users)) {
      const values = { who: whoOf(event, words), name: nameOf(member, words), group: nameOf(model, words) };
      return words(diff.users.add ? '{who} added {name} to {group}.' : '{who} removed {name} from {group}.', values);
    }
    const members = isJsonObject(diff) ? Object.keys(diff).join(', ').replaceAll('_', ' ') : '';
    if (members === '') return change('{who} changed {object}.')(event, words, language);
    const object = objectOf(model, words, language);
    return words('{who} changed {object} ({members}).', { who: whoOf(event, words), object, members });
  },
  model_deleted: change('{who} deleted {object}.'),
  policy_execution: (event, words, language) => turnedAway(event, words, language),
  // Not with the address: anonymous callers choose it, and notifications would send it to administrators (content
  // injection).
  configuration_error: ({ context }, words) => {
    const name = nameOf(context.application ?? context.provider, words);
    if (textOf(context.redirect_uri) !== null)
      return words('The redirect URI of a request to sign in to {name} is not registered.', {
        name,
      });
    return textOf(context.post_logout_redirect_uri) === null
      ? null
      : words('The redirect URI of a request to sign out of {name} is not registered.', { name });
  },
  policy_exception: ({ context }, words) =>
    words('The policy {name} failed: {reason}', {
      name: textOf(context.policy_name) ?? '',
      reason: textOf(context.message) ?? words('no reason given'),
    }),
  property_mapping_exception: ({ context }, words) =>
    textOf(context.task) === null
      ? words('A property mapping failed: {reason}', { reason: textOf(context.message) ?? words('no reason given') })
      : null,
};

/** “dana was turned away from Grafana by the policy staff only.” */
function turnedAway(event: RecordedEvent, words: Words, language: Language): string | null {
  const { messages = null, context } = event;
  const { application, result, decided_by } = context;
  const worded = (text: string) => wordsOfEvent(language, messages, text);
  if (!isJsonObject(application) || !isJsonObject(result) || result.passing !== false) return null;
  const who = { who: whoOf(event, words), name: nameOf(application, words) };
  const deciders = textsOf(decided_by).map(worded);
  const sentence =
    deciders.length > 0
      ? words('{who} was denied access to {name} by {deciders}.', { ...who, deciders: deciders.join(', ') })
      : words('{who} was turned away from {name}.', who);
  return [sentence, ...textsOf(result.messages).map(worded)].join(' ');
}

const textOf = (value: Json | undefined): string | null => (typeof value === 'string' && value !== '' ? value : null);
const textsOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.flatMap((one) => textOf(one) ?? []) : [];

/** Who caused an event, as text. */
export function whoOf({ user }: Pick<RecordedEvent, 'user'>, words: Words): string {
  if (user.is_anonymous === true) return words('Someone who is not signed in');
  const who = textOf(user.username) ?? words('The server');
  return isJsonObject(user.on_behalf_of)
    ? words('{who} (acting as {name})', { who, name: textOf(user.on_behalf_of.username) ?? '' })
    : who;
}

const nameOf = (object: Json | undefined, words: Words): string =>
  (isJsonObject(object) ? (textOf(object.name) ?? textOf(object.username)) : null) ?? words('something without a name');

const objectOf = (model: Json | undefined, words: Words, language: Language): string =>
  isJsonObject(model)
    ? objectPhrase(language, textOf(model.model_name) ?? 'object', nameOf(model, words))
    : words('an object');
