import { useEffect, useState } from 'react';

/** Where the browser keeps a choice. */
export const keyOf = (name: string): string => `gatehouse:${name}`;

/** Dispatches the event in this window, too: browsers dispatch it in the others. */
export function storeChoice(name: string, value: string): void {
  const key = keyOf(name);
  localStorage.setItem(key, value);
  dispatchEvent(new StorageEvent('storage', { key, newValue: value }));
}

/** One of some values, kept in the browser and set on the document, for style sheets. */
export function useStoredChoice<V extends string>(
  name: string,
  names: Readonly<Record<V, unknown>>,
  otherwise: V,
): [V, (value: V) => void] {
  const key = keyOf(name);
  const [stored, setStored] = useState(() => localStorage.getItem(key));
  const value = stored !== null && Object.hasOwn(names, stored) ? (stored as V) : otherwise;
  useEffect(() => {
    document.documentElement.dataset[name] = value;
  }, [name, value]);
  useEffect(() => {
    const listen = (event: StorageEvent) => event.key === key && setStored(event.newValue);
    addEventListener('storage', listen);
    return () => removeEventListener('storage', listen);
  }, [key]);
  return [value, (chosen) => storeChoice(name, chosen)];
}
