import { type ReactNode, useEffect, useState } from 'react';

interface Props {
  /** Empty for the first fields of a form. */
  readonly title: string;
  /** Whether it is for few: then it unfolds. */
  readonly isFolded: boolean;
  /** Whether something in it is to be corrected. */
  readonly isOpen: boolean;
  readonly children: ReactNode;
}

/** Fields of a form that belong together. */
export function FormGroup({ title, isFolded, isOpen, children }: Props) {
  const [isUnfolded, setUnfolded] = useState(false);
  useEffect(() => {
    if (isOpen) setUnfolded(true);
  }, [isOpen]);
  if (!isFolded)
    return (
      <fieldset className="card form-group">
        {title && <legend className="form-legend">{title}</legend>}
        {children}
      </fieldset>
    );
  return (
    <details
      className="card form-advanced"
      open={isUnfolded || isOpen}
      onToggle={({ currentTarget }) => setUnfolded(currentTarget.open)}
    >
      <summary>{title}</summary>
      <fieldset className="form-group" aria-label={title}>
        {children}
      </fieldset>
    </details>
  );
}
