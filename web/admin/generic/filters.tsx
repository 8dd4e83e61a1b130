import { useEffect, useId, useState } from 'react';
import type { FilterMetadata } from '../../../src/resource/document/openapi-types.ts';
import { t } from '../../texts/texts.ts';
import { goTo, hereWith, useAddress } from '../address.ts';
import type { Description } from '../api/description.ts';
import { spelled } from '../labels.ts';
import { ReferencePicker } from '../widgets/reference-picker.tsx';

/** Search and filters of a list, kept in the address. */
export function Filters({ description }: { description: Description }) {
  const { query } = useAddress();
  const [added, setAdded] = useState<readonly string[]>([]);
  const { filters, isSearched } = description;
  const isSet = ({ name }: FilterMetadata) => query.has(name) || added.includes(name);
  const active = filters.filter(isSet);
  const offered = filters.filter((filter) => !isSet(filter) && isUsable(filter));
  function remove(name: string): void {
    setAdded(added.filter((one) => one !== name));
    goTo(hereWith({ [name]: null, page: null }));
  }
  return (
    <search className="filters">
      {isSearched && <TypedField label={t('Search')} name="search" type="search" />}
      {active.map((filter) => (
        <div key={filter.name} className="filter">
          <FilterField filter={filter} />
          <button type="button" className="filter-remove" onClick={() => remove(filter.name)}>
            <span aria-hidden="true">×</span>
            <span className="visually-hidden">{t('Remove the filter {name}', { name: filter.label })}</span>
          </button>
        </div>
      ))}
      {offered.length > 0 && (
        <label className="filter-add">
          <span className="visually-hidden">{t('Add a filter')}</span>
          <select
            className="input"
            value=""
            onChange={({ currentTarget }) => setAdded([...added, currentTarget.value])}
          >
            <option value="">{t('Add a filter…')}</option>
            {offered.map(({ name, label }) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
    </search>
  );
}

/** JSON and code are nothing to filter by. */
const isUsable = ({ kind }: FilterMetadata): boolean => kind !== 'json' && kind !== 'expression';

const set = (name: string, value: string): void => goTo(hereWith({ [name]: value || null, page: null }));

/** The value of one filter. */
function FilterField({ filter }: { filter: FilterMetadata }) {
  const { query } = useAddress();
  const { name, label, kind, model, choices, labels } = filter;
  const value = query.get(name) ?? '';
  if (kind.startsWith('reference') && model)
    return (
      <ReferencePicker
        label={label}
        model={model}
        value={value || null}
        onChange={(key) => set(name, key === null ? '' : String(key))}
      />
    );
  if (kind !== 'flag' && !choices) return <TypedField label={label} name={name} type="text" />;
  const options = choices?.map((one) => [String(one), spelled(one, labels)]) ?? [
    ['true', t('Yes')],
    ['false', t('No')],
  ];
  return <LabelledSelect label={label} value={value} options={options} onChange={(chosen) => set(name, chosen)} />;
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly string[])[];
  /** Whether one of them must be chosen. */
  readonly isRequired?: boolean;
  onChange(value: string): void;
}

export function LabelledSelect({ label, value, options, isRequired = false, onChange }: SelectProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="input" value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {!isRequired && <option value="">{t('Any value')}</option>}
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

const pauseMs = 250;

/** A field that writes to the address when typing pauses. */
export function TypedField({ label, name, type }: { label: string; name: string; type: 'search' | 'text' }) {
  const id = useId();
  const { query } = useAddress();
  const stored = query.get(name) ?? '';
  const [text, setText] = useState(stored);
  useEffect(() => setText(stored), [stored]);
  useEffect(() => {
    if (text === stored) return;
    const timer = setTimeout(() => goTo(hereWith({ [name]: text || null, page: null }), { replace: true }), pauseMs);
    return () => clearTimeout(timer);
  }, [text, stored, name]);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        type={type}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
    </div>
  );
}
