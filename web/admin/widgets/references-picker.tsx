import { useState } from 'react';
import { t } from '../../texts/texts.ts';
import { ObjectCombobox } from './object-combobox.tsx';
import { useNameOf } from './use-name-of.ts';

interface Props {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly errors?: readonly string[];
  readonly model: string;
  /** The right to an object that choosing it takes. */
  readonly takes?: string | undefined;
  readonly value: readonly (string | number)[];
  /** Keys of some models are numbers. */
  readonly isNumber: boolean;
  onChange(keys: readonly (string | number)[]): void;
}

/** Any number of objects of a model. */
export function ReferencesPicker({ value, isNumber, onChange, ...rest }: Props) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(new Map());
  const known = useNameOf(
    rest.model,
    value.filter((key) => !chosen.has(String(key))),
  );
  const nameOf = (key: string | number) => chosen.get(String(key)) ?? known(key);
  return (
    <div className="stack-tight">
      <ObjectCombobox
        {...rest}
        shown=""
        placeholder={t('Type to add')}
        onChoose={({ pk, label }) => {
          setChosen(new Map([...chosen, [pk, label]]));
          if (!value.some((key) => String(key) === pk)) onChange([...value, isNumber ? Number(pk) : pk]);
        }}
      />
      {value.length > 0 && (
        <ul className="tags" aria-label={rest.label}>
          {value.map((key) => (
            <li key={key} className="tag picked">
              {nameOf(key)}
              <button type="button" onClick={() => onChange(value.filter((other) => other !== key))}>
                <span aria-hidden="true">×</span>
                <span className="visually-hidden">{t('Remove {name}', { name: nameOf(key) })}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
