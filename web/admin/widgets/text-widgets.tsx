import { PasswordField, TextAreaField, TextField } from '../../elements/field.tsx';
import { latest, localTime, sentTime } from '../../elements/local-time.ts';
import { t } from '../../texts/texts.ts';
import { durationWords } from './duration-words.ts';
import { factsOf, nothing, type WidgetProps } from './widget-props.ts';

const textOf = (value: unknown): string => (value === null || value === undefined ? '' : String(value));

const types: Readonly<Record<string, string>> = { email: 'email', uri: 'url' };

/** Empty text is null where the member is nullable. */
const typed = (text: string, { member }: WidgetProps): unknown => (text === '' && member.isNullable ? null : text);

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

/** `hours=1;minutes=30`, with a description in words. */
export function DurationWidget(props: WidgetProps) {
  const facts = factsOf(props);
  const words = durationWords(textOf(props.value));
  return (
    <TextField
      {...facts}
      hint={[facts.hint, words ?? t('Write it like “{example}”.', { example: 'hours=1;minutes=30' })]
        .filter(Boolean)
        .join(' ')}
      value={textOf(props.value)}
      placeholder="hours=1"
      spellCheck={false}
      autoCapitalize="none"
      onChange={(event) => props.onChange(typed(event.currentTarget.value, props))}
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
