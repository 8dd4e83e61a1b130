import { t } from '../texts/texts.ts';
import './field.css';
import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId, useState } from 'react';

export interface FieldFacts {
  readonly label: string;
  readonly hint?: string | undefined;
  /** Errors from the server. */
  readonly errors?: readonly string[] | undefined;
  /** The id of further notes on the field. */
  readonly describedBy?: string | undefined;
}

interface Described {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

/** A label, an input, a hint and errors, associated for screen readers. */
export function Field({
  label,
  hint,
  errors = [],
  describedBy,
  children,
}: FieldFacts & { children(facts: Described): ReactNode }) {
  const id = useId();
  const hasErrors = errors.length > 0;
  const describers = [hint && `${id}-hint`, describedBy, hasErrors && `${id}-errors`].filter(Boolean);
  const facts: Described = {
    id,
    'aria-describedby': describers.join(' ') || undefined,
    'aria-invalid': hasErrors || undefined,
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(facts)}
      <FieldNotes id={id} hint={hint} errors={errors} />
    </div>
  );
}

type Notes = Pick<FieldFacts, 'hint'> & { readonly id: string; readonly errors: readonly string[] };

/** The hint and the errors of a field, for `aria-describedby`. */
export function FieldNotes({ id, hint, errors }: Notes) {
  return (
    <>
      {hint && (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <div className="field-errors" id={`${id}-errors`} aria-live="assertive">
        {errors.map((text) => (
          <p key={text}>{text}</p>
        ))}
      </div>
    </>
  );
}

type InputProps = FieldFacts & Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'className'>;

export function TextField({ label, hint, errors, type = 'text', ...rest }: InputProps) {
  return (
    <Field label={label} hint={hint} errors={errors}>
      {(facts) => <input {...rest} {...facts} type={type} className="input" />}
    </Field>
  );
}

/** For passwords; `canShow` lets people look at what they typed. */
export function PasswordField({
  label,
  hint,
  errors,
  describedBy,
  canShow = true,
  ...rest
}: InputProps & { canShow?: boolean }) {
  const [isShown, setShown] = useState(false);
  const props = { spellCheck: false, autoCapitalize: 'none', autoCorrect: 'off' };
  return (
    <Field label={label} hint={hint} errors={errors} describedBy={describedBy}>
      {(facts) => (
        <div className="input-with-button">
          <input {...props} {...rest} {...facts} type={isShown ? 'text' : 'password'} className="input" />
          {canShow && (
            <button
              type="button"
              className="input-button"
              aria-pressed={isShown}
              aria-controls={facts.id}
              onClick={() => setShown(!isShown)}
            >
              {isShown ? t('Hide') : t('Show')}
              <span className="visually-hidden"> {label}</span>
            </button>
          )}
        </div>
      )}
    </Field>
  );
}

/** For a short code from a device or a message. */
export function CodeField({ isNumeric = true, ...rest }: InputProps & { isNumeric?: boolean }) {
  return (
    <TextField
      {...(isNumeric && { inputMode: 'numeric', pattern: '[0-9 ]*' })}
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      data-code=""
      {...rest}
    />
  );
}

export function TextAreaField({
  label,
  hint,
  errors,
  ...rest
}: FieldFacts & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'id' | 'className'>) {
  return (
    <Field label={label} hint={hint} errors={errors}>
      {(facts) => <textarea rows={4} {...rest} {...facts} className="input" />}
    </Field>
  );
}
