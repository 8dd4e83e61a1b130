import type { ReactNode } from 'react';
import { shippedLabel } from './shipped-labels.ts';

interface Props {
  readonly name: string;
  /** Of flows. */
  readonly slug?: unknown;
  /** What shows the name of anything else. */
  readonly children?: ReactNode;
}

/**
 * The name of an object. Shipped ones have a readable label, with the name small beside it (lists of flows have their
 * slugs).
 */
export function ShippedName({ name, slug, children = name }: Props) {
  const label = shippedLabel(name, slug);
  if (label === null || label === name) return children;
  return (
    <>
      {label} {typeof slug !== 'string' && <span className="shipped-name">{name}</span>}
    </>
  );
}
