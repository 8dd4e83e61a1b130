import './field.css';
import { type InputHTMLAttributes, type SelectHTMLAttributes, useId } from 'react';
import { Field, type FieldFacts, FieldNotes } from './field.tsx';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

type SelectProps = FieldFacts & { readonly choices: readonly Choice[] } & Omit<
    SelectHTMLAttributes<HTMLSelectElement>,
    'id' | 'className' | 'children'
  >;

export function SelectField({ label, hint, errors, choices, ...rest }: SelectProps) {
  return (
    <Field label={label} hint={hint} errors={errors}>
      {(facts) => (
        <select {...rest} {...facts} className="input">
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

type CheckboxProps = FieldFacts & Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'className' | 'type'>;

export function CheckboxField({ label, hint, errors = [], ...rest }: CheckboxProps) {
  const id = useId();
  return (
    <div className="field">
      <label className="choice">
        <input
          {...rest}
          type="checkbox"
          aria-describedby={`${id}-hint ${id}-errors`}
          aria-invalid={errors.length > 0 || undefined}
        />
        <span>{label}</span>
      </label>
      <FieldNotes id={id} hint={hint} errors={errors} />
    </div>
  );
}

type RadioProps = FieldFacts & {
  readonly name: string;
  readonly choices: readonly Choice[];
  /** What is chosen, or chosen at first. */
  readonly value?: string;
  readonly defaultValue?: string;
  readonly required?: boolean;
  onChange?(value: string): void;
};

export function RadioGroup(props: RadioProps) {
  const { label, hint, errors = [], name, choices, onChange, defaultValue, required } = props;
  const id = useId();
  return (
    <fieldset className="field" aria-describedby={`${id}-hint ${id}-errors`}>
      <legend>{label}</legend>
      {choices.map(({ value, label: text }) => (
        <label className="choice" key={value}>
          <input
            type="radio"
            name={name}
            value={value}
            {...(props.value === undefined
              ? { defaultChecked: value === defaultValue }
              : { checked: value === props.value })}
            required={required}
            onChange={() => onChange?.(value)}
          />
          <span>{text}</span>
        </label>
      ))}
      <FieldNotes id={id} hint={hint} errors={errors} />
    </fieldset>
  );
}
