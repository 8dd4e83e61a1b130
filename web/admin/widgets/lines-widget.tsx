import { TextAreaField } from '../../elements/field.tsx';
import { t } from '../../texts/texts.ts';
import { factsOf, type WidgetProps } from './widget-props.ts';

/** A list of texts or numbers, one to a line. */
export function LinesWidget(props: WidgetProps) {
  const { member, value, onChange } = props;
  const facts = factsOf(props);
  const isNumber = ['integer', 'number'].includes(String([member.schema.items?.type].flat()[0]));
  const lines = Array.isArray(value) ? value.map(String) : [];
  function read(text: string): void {
    const items = text.split('\n');
    // Keeps the empty line that is being typed.
    const kept = items.filter((item, at) => item.trim() !== '' || at === items.length - 1);
    const filled = kept.length === 1 && kept[0] === '' ? [] : kept;
    onChange(isNumber ? filled.map(numberOf) : filled);
  }
  return (
    <TextAreaField
      {...facts}
      hint={[facts.hint, t('One to a line.')].filter(Boolean).join(' ')}
      rows={Math.min(8, Math.max(2, lines.length + 1))}
      spellCheck={false}
      value={lines.join('\n')}
      onChange={(event) => read(event.currentTarget.value)}
    />
  );
}

const numberOf = (text: string): number | string =>
  text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
