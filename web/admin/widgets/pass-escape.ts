import type { KeyboardEvent } from 'react';

/** Lets Escape close the dialog around a combobox, which would keep the key to itself. */
export function passEscape({ key, nativeEvent }: KeyboardEvent): void {
  if (key === 'Escape') Object.assign(nativeEvent, { preventDownshiftDefault: true });
}
