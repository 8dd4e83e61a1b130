import type { JsonPart } from '../../../src/resource/document/json-schema.ts';
import { isObject } from '../../api/is-object.ts';
import { SelectField } from '../../elements/choice.tsx';
import { ColourField } from '../../elements/colour-field.tsx';
import { languageName } from '../../flow/screens/locales.ts';
import { t } from '../../texts/texts.ts';
import type { Row } from '../api/objects.ts';
import { spelled } from '../labels.ts';
import { Unreadable, type WidgetProps } from './widget-props.ts';

/** Fields for the parts of free data that pages know; the rest is edited as a whole. */
export function JsonParts({ member, value, onChange }: WidgetProps) {
  if (value instanceof Unreadable) return null;
  return (member.note.parts ?? []).map((part) => {
    const facts = { label: part.label, hint: part.help, value: textAt(value, part.path) };
    const change = (text: string) => onChange(withText(value, part.path, text));
    const key = part.path.join('.');
    if (part.isColour) return <ColourField key={key} {...facts} onChange={change} />;
    return (
      <SelectField
        key={key}
        {...facts}
        choices={choicesOf(part, facts.value)}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      />
    );
  });
}

function choicesOf({ choices = [], areLanguages }: JsonPart, current: string) {
  // A value typed by hand stays until another is chosen.
  const offered = current === '' || choices.includes(current) ? choices : [...choices, current];
  return [
    { value: '', label: t('Automatic') },
    ...offered.map((one) => ({ value: one, label: areLanguages ? languageName(one) : spelled(one) })),
  ];
}

const membersOf = (value: unknown): Row => (isObject(value) ? { ...value } : {});

function textAt(value: unknown, [name = '', ...rest]: readonly string[]): string {
  const found = membersOf(value)[name];
  if (rest.length > 0) return textAt(found, rest);
  return typeof found === 'string' ? found : '';
}

/** The data with a text at this place; an empty one is taken out, with what it leaves empty. */
function withText(value: unknown, [name = '', ...rest]: readonly string[], text: string): Row {
  const { [name]: before, ...others } = membersOf(value);
  const inner = rest.length > 0 ? withText(before, rest, text) : text;
  const isEmpty = typeof inner === 'string' ? inner === '' : Object.keys(inner).length === 0;
  return isEmpty ? others : { ...others, [name]: inner };
}
