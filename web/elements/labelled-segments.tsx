import { type Text, t } from '../texts/texts.ts';
import { Segments } from './segments.tsx';

interface Props<V extends string> {
  readonly label: string;
  readonly names: Readonly<Record<V, Text>>;
  readonly value: V;
  onChange(value: V): void;
}

/** The same below their label. */
export function LabelledSegments<V extends string>({ label, names, value, onChange }: Props<V>) {
  const choices = (Object.keys(names) as V[]).map((one) => [one, t(names[one])] as const);
  return (
    <div className="stack-tight">
      <p className="small quiet" aria-hidden="true">
        {label}
      </p>
      <Segments {...{ label, value, choices, onChange }} />
    </div>
  );
}
