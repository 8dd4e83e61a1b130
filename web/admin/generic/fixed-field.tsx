import { useId } from 'react';
import type { Member } from '../api/document.ts';
import type { Names } from '../api/objects.ts';
import { Value } from './value.tsx';

interface Props {
  readonly member: Member;
  readonly value: unknown;
  readonly names: Names;
  /** Why it cannot be changed. */
  readonly why: string;
}

/** A member of a form that the caller may only read. */
export function FixedField({ member, value, names, why }: Props) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs, and there is none
    <div
      role="group"
      className="field widget"
      data-field={member.name}
      data-fixed=""
      aria-labelledby={id}
      aria-describedby={`${id}-why`}
    >
      <p id={id} className="field-label">
        {member.note.label}
      </p>
      <div>
        <Value member={member} value={value} names={names} />
      </div>
      <p id={`${id}-why`} className="field-hint">
        {why}
      </p>
    </div>
  );
}
