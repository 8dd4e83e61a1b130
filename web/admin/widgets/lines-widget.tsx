import { useState } from 'react';
import { TextAreaField } from '../../elements/field.tsx';
import { t } from '../../texts/texts.ts';
import { factsOf, type WidgetProps } from './widget-props.ts';

/** A list of texts or numbers, one to a line. */
export function LinesWidget(props: WidgetProps) {
  const { member, value, onChange } = props;
  const facts = factsOf(props);
  const isNumber = ['integer', 'number'].includes(String([member.schema.items?.type].flat()[0]));
  // Keeps blank lines as they are typed.
  const [typed, setTyped] = useState<{ text: string; value: unknown } | null>(null);
  const text =
    typed && Object.is(typed.value, value) ? typed.text : (Array.isArray(value) ? value : []).map(String).join('\n');
  function change(next: string): void {
    const items = next.split('\n').filter((item) => item.trim() !== '');
    const parsed = isNumber ? items.map(numberOf) : items;
    setTyped({ text: next, value: parsed });
    onChange(parsed);
  }
  return (
    <TextAreaField
      {...facts}
      hint={[facts.hint, t('One per line.')].filter(Boolean).join(' ')}
      rows={Math.min(8, Math.max(2, text.split('\n').length + 1))}
      spellCheck={false}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

const numberOf = (text: string): number | string => (Number.isFinite(Number(text)) ? Number(text) : text);
