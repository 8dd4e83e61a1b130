import { type Json, memberOf } from '../../lib/json.ts';
import type { Language } from '../../lib/texts/languages.ts';
import { inLanguage, messageFrom, UserMessage } from '../../lib/texts/message.ts';

/**
 * The stored messages of an event by their English words. Its context, which the API shows, has only those; other
 * languages need the values.
 */
export type EventMessages = { readonly [english: string]: Json };

/** Longer ones, such as those with an error of another program, stay English. */
const maxLength = 500;

type Context = Readonly<Record<string, unknown>>;

/** The context in English, and the messages of the members that sentences read. */
export function separateMessages(context: Context): {
  readonly context: Context;
  readonly messages: EventMessages | null;
} {
  const { message, result, decided_by } = context;
  const messages = [message, memberOf(result, 'messages'), decided_by]
    .flat()
    .filter((words) => words instanceof UserMessage);
  if (messages.length === 0) return { context, messages: null };
  const stored = messages.map((one) => [String(one), one.stored()] as const);
  return {
    context: JSON.parse(JSON.stringify(context)),
    messages: Object.fromEntries(stored.filter(([english]) => english.length <= maxLength)),
  };
}

/** Words of the context of an event in a language. */
export function wordsOfEvent(language: Language, messages: EventMessages | null, english: string): string {
  const stored = messages && Object.hasOwn(messages, english) ? messageFrom(messages[english]) : null;
  return inLanguage(language, stored ?? english);
}
