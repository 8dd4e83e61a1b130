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
  readonly value: string | number | null;
  onChange(key: string | null): void;
}

/** One object of a model. */
export function ReferencePicker({ value, onChange, ...rest }: Props) {
  const [chosen, setChosen] = useState<{ pk: string; name: string } | null>(null);
  const isChosen = value !== null && chosen?.pk === String(value);
  const known = useNameOf(rest.model, isChosen || value === null ? [] : [value]);
  const told = value === null ? '' : known(value);
  const shown = isChosen ? (chosen?.name ?? '') : told;
  return (
    <ObjectCombobox
      {...rest}
      shown={shown}
      placeholder={t('Type to search')}
      onChoose={(object) => {
        setChosen({ pk: object.pk, name: object.label });
        onChange(object.pk);
      }}
      onClear={() => onChange(null)}
    />
  );
}
