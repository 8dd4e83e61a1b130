import './segments.css';
import { useId } from 'react';

interface Props<V extends string> {
  readonly label: string;
  readonly value: V;
  readonly choices: readonly (readonly [value: V, label: string])[];
  onChange(value: V): void;
}

/** One of a few choices, side by side. */
export function Segments<V extends string>({ label, value, choices, onChange }: Props<V>) {
  const name = useId();
  return (
    <fieldset className="segments">
      <legend className="visually-hidden">{label}</legend>
      {choices.map(([one, text]) => (
        <label key={one}>
          <input type="radio" name={name} value={one} checked={one === value} onChange={() => onChange(one)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}
