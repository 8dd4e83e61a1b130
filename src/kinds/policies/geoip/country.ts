import { countries, findCountry } from '../../../lib/countries.ts';
import { arrayOf, type JsonSchema } from '../../../resource/document/json-schema.ts';
import { accept, complain, type Field } from '../../../resource/fields/field.ts';
import { text } from '../../../resource/fields/text.ts';

const names = new Map(countries.map(({ code, name }) => [code, name]));

/** Sorted for people: by name, ignoring accents. */
export const countriesByName = countries.toSorted((left, right) => left.name.localeCompare(right.name, 'en'));

const codeSchema: JsonSchema = { type: 'string', enum: countriesByName.map(({ code }) => code) };

/** A two-letter country code; requests may also contain the three-letter or numeric code or the English name. */
export const country: Field<string> = {
  ...text(),
  kind: 'country',
  schema: codeSchema,
  requestSchema: codeSchema,
  parse(value) {
    const given = typeof value === 'object' && value !== null && 'code' in value ? value.code : value;
    const code = typeof given === 'string' || typeof given === 'number' ? findCountry(String(given)) : null;
    return code
      ? accept(code)
      : complain(`"${typeof given === 'object' ? JSON.stringify(given) : given}" is not a valid choice.`);
  },
};

export const countryList: JsonSchema = arrayOf({
  type: 'object',
  properties: { code: codeSchema, name: { type: 'string' } },
  required: ['code', 'name'],
});

export const detailed = (codes: readonly string[]) => codes.map((code) => ({ code, name: names.get(code) ?? code }));
