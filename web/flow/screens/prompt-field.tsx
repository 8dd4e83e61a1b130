import type { PromptChallenge } from '../../api/types.ts';
import './prompt.css';
import { CheckboxField, type Choice, RadioGroup, SelectField } from '../../elements/choice.tsx';
import { PasswordField, TextAreaField, TextField } from '../../elements/field.tsx';
import { latest, localTime } from '../../elements/local-time.ts';
import { NewPasswordField } from '../../elements/new-password.tsx';
import { errorsOf } from '../challenge.ts';
import { localeChoices } from './locales.ts';

export type Prompt = PromptChallenge['fields'][number];

/** A prompt by its type. Unknown types are rendered as text. */
export function PromptField({ prompt, challenge }: { prompt: Prompt; challenge: PromptChallenge }) {
  const { field_key: name, label, type, required, placeholder, initial_value, sub_text, choices } = prompt;
  const common = { label, name, required, hint: sub_text || undefined, errors: errorsOf(challenge, name) };
  const typed = { ...common, placeholder, defaultValue: initial_value };
  switch (type) {
    case 'static':
      return <p className="prompt-static">{initial_value || label}</p>;
    case 'separator':
      return label ? <h2 className="prompt-separator">{label}</h2> : <hr className="prompt-separator" />;
    case 'hidden':
      return <input type="hidden" name={name} value={initial_value} />;
    case 'text_area':
      return <TextAreaField {...typed} />;
    case 'text_area_read_only':
      return <TextAreaField {...typed} readOnly />;
    case 'text_read_only':
      return <TextField {...typed} readOnly />;
    case 'checkbox':
      return <CheckboxField {...common} defaultChecked={/^(true|1|on|yes)$/i.test(initial_value)} />;
    case 'radio-button-group':
      return <RadioGroup {...common} choices={choicesOf(choices, !required)} defaultValue={initial_value} />;
    case 'dropdown':
      return <SelectField {...common} choices={choicesOf(choices, !required)} defaultValue={initial_value} />;
    case 'xak-locale':
      return <SelectField {...common} choices={localeChoices(initial_value, !required)} defaultValue={initial_value} />;
    case 'password':
      // Repeating a password says nothing new about its strength.
      return isRepeat(name) ? (
        <PasswordField {...typed} autoComplete="new-password" />
      ) : (
        <NewPasswordField {...typed} rules={challenge.password_rules?.filter(({ field_key }) => field_key === name)} />
      );
    case 'email':
      return <TextField {...typed} type="email" autoComplete="email" inputMode="email" />;
    case 'username':
      return <TextField {...typed} autoComplete="username" autoCapitalize="none" spellCheck={false} />;
    case 'number':
      return <TextField {...typed} type="number" step="any" inputMode="decimal" />;
    case 'date':
      return <TextField {...typed} type="date" max="9999-12-31" />;
    case 'date-time':
      return (
        <TextField {...typed} type="datetime-local" step="1" max={latest} defaultValue={localTime(initial_value)} />
      );
    case 'file':
      return <TextField {...common} type="file" />;
    default:
      return <TextField {...typed} autoComplete={autoComplete[name] ?? 'on'} />;
  }
}

const isRepeat = (name: string): boolean => /repeat|again|confirm/i.test(name);

/** Maps field names to autocomplete tokens. */
const autoComplete: Readonly<Record<string, string>> = { username: 'username', name: 'name', email: 'email' };

const choicesOf = (choices: readonly string[] | null, isOptional: boolean): Choice[] => [
  ...(isOptional ? [{ value: '', label: '–' }] : []),
  ...(choices ?? []).map((value) => ({ value, label: value })),
];
