import './colour-field.css';
import { t } from '../texts/texts.ts';
import { Field } from './field.tsx';

interface Props {
  readonly label: string;
  readonly hint: string;
  /** `#rrggbb`; empty for none. */
  readonly value: string;
  onChange(colour: string): void;
}

export const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

/** A colour, picked or typed. */
export function ColourField({ label, hint, value, onChange }: Props) {
  const isWrong = value !== '' && !isColour(value);
  return (
    <Field label={label} hint={hint} errors={isWrong ? [t('Enter a colour such as #3b57d6.')] : []}>
      {(facts) => (
        <div className="colour-field">
          <input
            type="color"
            aria-label={t('Pick: {label}', { label })}
            value={isColour(value) ? value : '#000000'}
            data-empty={value === '' || undefined}
            onChange={({ currentTarget }) => onChange(currentTarget.value)}
          />
          <input
            {...facts}
            className="input"
            value={value}
            maxLength={7}
            placeholder={t('Automatic')}
            spellCheck={false}
            dir="ltr"
            onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
          />
        </div>
      )}
    </Field>
  );
}
