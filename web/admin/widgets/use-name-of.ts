import { use, useEffect, useState } from 'react';
import { type Names, readNames } from '../api/objects.ts';
import { NamesContext } from './names-context.ts';

/** Names of objects: known to the page, or loaded. */
export function useNameOf(model: string, keys: readonly (string | number)[]): (key: string | number) => string {
  const told = use(NamesContext);
  const [asked, setAsked] = useState<Names>(() => () => undefined);
  const unknown = keys.filter((key) => !told(model, key)).join(',');
  useEffect(() => {
    if (unknown === '') return;
    let isWanted = true;
    readNames([`${model}:${unknown}`])
      .then((found) => isWanted && setAsked(() => found))
      .catch(() => {});
    return () => {
      isWanted = false;
    };
  }, [model, unknown]);
  return (key) => (told(model, key) ?? asked(model, key))?.label ?? String(key);
}
