import { useId } from 'react';
import { CheckboxField, SelectField } from '../../elements/choice.tsx';
import { FieldNotes } from '../../elements/field.tsx';
import { spelled } from '../labels.ts';
import { factsOf, nothing, type WidgetProps } from './widget-props.ts';

export function FlagWidget(props: WidgetProps) {
  const { label, hint, errors } = factsOf({ ...props, member: { ...props.member, isRequired: false } });
  return (
    <CheckboxField
      {...{ label, hint, errors }}
      checked={props.value === true}
      onChange={(event) => props.onChange(event.currentTarget.checked)}
    />
  );
}

/** One of a list; empty if nothing is chosen. */
export function ChoiceWidget(props: WidgetProps) {
  const { member, value, onChange } = props;
  const isOffered = (one: unknown) => one === value || !member.note.limits?.without?.includes(String(one));
  const values = (member.schema.enum ?? []).filter((one) => one !== null && isOffered(one));
  const isOpen = member.isNullable || value === undefined || value === null || values.includes('');
  const choices = [
    ...(isOpen ? [{ value: '', label: '–' }] : []),
    ...values
      .filter((one) => one !== '')
      .map((one) => ({ value: String(one), label: spelled(one, member.note.labels) })),
  ];
  function choose(text: string): void {
    const chosen = values.find((one) => String(one) === text);
    onChange(chosen ?? nothing(member));
  }
  return (
    <SelectField
      {...factsOf(props)}
      choices={choices}
      value={value === null || value === undefined ? '' : String(value)}
      onChange={(event) => choose(event.currentTarget.value)}
    />
  );
}

/** Any number of a list. */
export function ChoicesWidget(props: WidgetProps) {
  const id = useId();
  const { label, hint, errors } = factsOf(props);
  const chosen = Array.isArray(props.value) ? props.value : [];
  const values = props.member.schema.items?.enum ?? [];
  return (
    <fieldset className="field" aria-describedby={`${id}-hint ${id}-errors`}>
      <legend>{label}</legend>
      <div className="choices">
        {values.map((one) => (
          <label className="choice" key={String(one)}>
            <input
              type="checkbox"
              value={String(one)}
              checked={chosen.includes(one)}
              onChange={({ currentTarget }) =>
                props.onChange(currentTarget.checked ? [...chosen, one] : chosen.filter((other) => other !== one))
              }
            />
            <span>{spelled(one, props.member.note.labels)}</span>
          </label>
        ))}
      </div>
      <FieldNotes id={id} hint={hint} errors={errors} />
    </fieldset>
  );
}
