import { useState } from 'react';
import { Field } from '../../elements/field.tsx';
import { t } from '../../texts/texts.ts';
import { durationWords, simpleDuration, unitName, units } from './duration-words.ts';
import { typed } from './text-widgets.tsx';
import { factsOf, type WidgetProps } from './widget-props.ts';

const custom = 'custom';

/** A number and its unit. What no number of one unit says is typed as the API has it: `hours=1;minutes=30`. */
export function DurationWidget(props: WidgetProps) {
  const { value, onChange } = props;
  const { label, hint, errors } = factsOf(props);
  const text = typeof value === 'string' ? value : '';
  const simple = simpleDuration(text);
  const [isCustom, setCustom] = useState(text !== '' && simple === null);
  // Kept while the number is empty.
  const [unit, setUnit] = useState(simple?.unit ?? 'hour');
  const isText = isCustom || (text !== '' && simple === null);
  const shownUnit = simple?.unit ?? unit;
  const words = isText
    ? (durationWords(text) ?? t('Write it like “{example}”.', { example: 'hours=1;minutes=30' }))
    : '';

  function chooseUnit(chosen: string): void {
    setCustom(chosen === custom);
    if (chosen === custom) return;
    setUnit(chosen);
    if (text !== '') onChange(`${chosen}s=${simple?.amount ?? 1}`);
  }
  return (
    <Field label={label} hint={[hint, words].filter(Boolean).join(' ') || undefined} errors={errors}>
      {(facts) => (
        <div className="duration">
          {isText ? (
            <input
              {...facts}
              className="input"
              value={text}
              placeholder="hours=1"
              spellCheck={false}
              autoCapitalize="none"
              onChange={({ currentTarget }) => onChange(typed(currentTarget.value, props))}
            />
          ) : (
            <input
              {...facts}
              className="input"
              type="number"
              inputMode="numeric"
              min={0}
              step={1}
              value={simple?.amount ?? ''}
              onChange={({ currentTarget: { value: amount } }) =>
                onChange(typed(/^\d+$/.test(amount) ? `${shownUnit}s=${amount}` : '', props))
              }
            />
          )}
          <select
            className="input"
            aria-label={t('Unit of {field}', { field: label })}
            value={isText ? custom : shownUnit}
            onChange={({ currentTarget }) => chooseUnit(currentTarget.value)}
          >
            {units.map((one) => (
              <option key={one} value={one}>
                {unitName(one)}
              </option>
            ))}
            <option value={custom}>{t('Several units')}</option>
          </select>
        </div>
      )}
    </Field>
  );
}
