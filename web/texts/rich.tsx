import { createElement, Fragment, type ReactNode } from 'react';
import { formatOf, type Text, t } from './texts.ts';

interface Props {
  readonly text: Text;
  /** Elements in place of `{name}`, and functions that make an element of what stands in `<name>…</name>`. */
  readonly values: Readonly<Record<string, ReactNode | ((parts: ReactNode[]) => ReactNode)>>;
}

/** A text of the catalogues with elements in it. */
export function Rich({ text, values }: Props) {
  const parts = formatOf(t(text)).format<ReactNode>({ ...values });
  return createElement(Fragment, null, ...(Array.isArray(parts) ? parts : [parts]));
}
