import type { JsonSchema } from '../../../src/resource/document/json-schema.ts';
import { isObject } from '../../api/is-object.ts';
import { textOf } from '../../api/text-of.ts';
import { browserName, type UserAgent } from '../../elements/browser-name.ts';
import { t } from '../../texts/texts.ts';
import { countryOf, spelled } from '../labels.ts';

type Nested = Readonly<Record<string, unknown>>;

const isUserAgent = (value: Nested): value is Nested & UserAgent => isObject(value.user_agent) && isObject(value.os);

const placeOf = ({ city, country }: Nested): string =>
  [textOf(city), textOf(country) && countryOf(textOf(country))].filter(Boolean).join(t(', '));

/** Values of a few members in words, where there are any for them. */
const inWords: Readonly<Record<string, (value: Nested, schema: JsonSchema) => string>> = {
  user_agent: (value) => (isUserAgent(value) ? browserName(value) : ''),
  geo_ip: placeOf,
  asn: ({ as_org }) => textOf(as_org),
  user: ({ username }) => textOf(username),
  brand: ({ name }) => textOf(name),
  redirect_uris: addressOf,
  post_logout_redirect_uris: addressOf,
  messages: ({ event }) => textOf(event),
};

function addressOf({ url, matching_mode }: Nested, schema: JsonSchema): string {
  const labels = schema.items?.properties?.matching_mode?.['x-field']?.labels;
  const mode = matching_mode === 'strict' ? '' : `(${spelled(matching_mode, labels)})`;
  return [textOf(url), mode].filter(Boolean).join(' ');
}

/** What people read of nested data; null if they have to read the data. */
export function nestedWords(member: string, value: unknown, schema: JsonSchema): string[] | null {
  const words = [value].flat().map((one) => (isObject(one) ? inWords[member]?.(one, schema) : ''));
  return words.length > 0 && words.every((text) => text) ? words.filter((text) => text !== undefined) : null;
}
