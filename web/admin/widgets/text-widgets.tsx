import { PasswordField, TextAreaField, TextField } from '../../elements/field.tsx';
import { pageLocale } from '../../texts/page-language.ts';
import { t } from '../../texts/texts.ts';
import { numberText } from '../words.ts';
import { factsOf, type WidgetProps } from './widget-props.ts';

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
      onChange={({ currentTarget: { value } }) =>
        props.onChange(value === '' ? (props.member.isNullable ? null : undefined) : Number(value))
      }
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

const units = new Set(['microsecond', 'millisecond', 'second', 'minute', 'hour', 'day', 'week']);

/** `30 minutes`. */
function unitText(unit: string, amount: number): string {
  if (!units.has(unit)) return `${numberText(amount)} ${unit}`;
  return new Intl.NumberFormat(pageLocale(), { style: 'unit', unit, unitDisplay: 'long' }).format(amount);
}

/** `1 hour, 30 minutes`; null where it cannot be read. */
function durationWords(text: string): string | null {
  const parts = text.split(';').map((part) => /^\s*([a-z]+)\s*=\s*([\d.]+)\s*$/.exec(part));
  if (text === '' || parts.some((part) => part === null)) return null;
  const words = parts.flatMap((part) => {
    const [, unit = '', amount = ''] = part ?? [];
    return Number(amount) === 0 ? [] : [unitText(unit.replace(/s$/, ''), Number(amount))];
  });
  return words.length > 0 ? t('That is {duration}.', { duration: words.join(t(', ')) }) : t('That is no time at all.');
}

export function TimeWidget(props: WidgetProps) {
  return (
    <TextField
      {...factsOf(props)}
      type="datetime-local"
      step={1}
      value={localTime(props.value)}
      onChange={({ currentTarget: { value } }) =>
        props.onChange(value === '' ? (props.member.isNullable ? null : undefined) : new Date(value).toISOString())
      }
    />
  );
}

/** The format of `datetime-local`: local time without a zone. */
function localTime(value: unknown): string {
  const moment = new Date(String(value ?? ''));
  if (Number.isNaN(moment.getTime())) return '';
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
