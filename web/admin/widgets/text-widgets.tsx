import { PasswordField, TextAreaField, TextField } from '../../elements/field.tsx';
import { latest, localTime, sentTime } from '../../elements/local-time.ts';
import { factsOf, nothing, type WidgetProps } from './widget-props.ts';

const textOf = (value: unknown): string => (value === null || value === undefined ? '' : String(value));

const types: Readonly<Record<string, string>> = { email: 'email', uri: 'url' };

/** Empty text is null where the member is nullable. */
export const typed = (text: string, { member }: WidgetProps): unknown =>
  text === '' && member.isNullable ? null : text;

export function TextWidget(props: WidgetProps) {
  const { member, value, onChange } = props;
  const { schema, note } = member;
  const shared = {
    ...factsOf(props),
    value: textOf(value),
    maxLength: schema.maxLength,
    autoComplete: 'off',
    'aria-required': member.isRequired || undefined,
  };
  if (note.lines)
    return (
      <TextAreaField
        {...shared}
        rows={8}
        spellCheck={false}
        onChange={(event) => onChange(typed(event.currentTarget.value, props))}
      />
    );
  return (
    <TextField
      {...shared}
      type={types[schema.format ?? ''] ?? 'text'}
      onChange={(event) => onChange(typed(event.currentTarget.value, props))}
    />
  );
}

export function SecretWidget(props: WidgetProps) {
  if (props.member.note.lines) return <TextWidget {...props} />;
  return (
    <PasswordField
      {...factsOf(props)}
      value={textOf(props.value)}
      autoComplete="new-password"
      data-1p-ignore=""
      onChange={(event) => props.onChange(typed(event.currentTarget.value, props))}
    />
  );
}

export function NumberWidget(props: WidgetProps) {
  const { schema } = props.member;
  const isWhole = [schema.type].flat().includes('integer');
  return (
    <TextField
      {...factsOf(props)}
      type="number"
      inputMode={isWhole ? 'numeric' : 'decimal'}
      step={isWhole ? 1 : 'any'}
      min={schema.minimum}
      max={schema.maximum}
      value={textOf(props.value)}
      onChange={({ currentTarget: { value } }) => props.onChange(value === '' ? nothing(props.member) : Number(value))}
    />
  );
}

export function TimeWidget(props: WidgetProps) {
  return (
    <TextField
      {...factsOf(props)}
      type="datetime-local"
      step={1}
      max={latest}
      value={localTime(props.value)}
      onChange={({ currentTarget: { value } }) =>
        props.onChange(value === '' ? nothing(props.member) : sentTime(value))
      }
    />
  );
}
