import { isJsonObject } from '../../lib/json.ts';
import type { Language } from '../../lib/texts/languages.ts';
import { inLanguage, UserMessage } from '../../lib/texts/message.ts';
import type { Row } from '../../resource/fields/field.ts';

/** Members with text for users, and their positions. Other strings are data: names, codes, addresses. */
const texts = new Set(['title', 'error', 'error_message', 'header_text', 'primary_action']);
const within: Readonly<Record<string, ReadonlySet<string>>> = {
  flow_info: new Set(['title']),
  fields: new Set(['label', 'placeholder', 'sub_text']),
  permissions: new Set(['name']),
  additional_permissions: new Set(['name']),
};

/** A challenge in the user's language. Texts of administrators are not translated. */
export function translatedChallenge(challenge: Row, language: Language): Row {
  // In JSON, messages are English.
  if (language === 'en') return challenge;
  const say = (text: unknown) =>
    typeof text === 'string' || text instanceof UserMessage ? inLanguage(language, text) : text;
  const members = (value: unknown, names: ReadonlySet<string>): unknown => {
    if (Array.isArray(value)) return value.map((element) => members(element, names));
    if (!isJsonObject(value)) return value;
    const isStatic = value.type === 'static' || value.type === 'separator';
    return mapped(value, (name, text) =>
      names.has(name) || (isStatic && name === 'initial_value') ? say(text) : text,
    );
  };
  return mapped(challenge, (name, value) => {
    if (texts.has(name)) return say(value);
    if (name === 'response_errors') return mapped(value, (_, errors) => members(errors, new Set(['string'])));
    return within[name] ? members(value, within[name]) : value;
  });
}

const mapped = (value: unknown, change: (name: string, value: unknown) => unknown): Row =>
  Object.fromEntries(Object.entries(value ?? {}).map(([name, member]) => [name, change(name, member)]));
