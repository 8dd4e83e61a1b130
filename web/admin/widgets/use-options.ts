import { useEffect, useState } from 'react';
import { errorMessage } from '../../api/call.ts';
import { findObjects, type NamedObject } from '../api/objects.ts';

interface Options {
  readonly options: readonly NamedObject[];
  readonly problem: string | null;
  readonly isLoading: boolean;
}

const pauseMs = 150;

/** The options of a combobox: objects of a model that match a text. */
export function useOptions(model: string, text: string, isWanted: boolean): Options {
  const [found, setFound] = useState<Options>({ options: [], problem: null, isLoading: true });
  useEffect(() => {
    if (!isWanted) return;
    let isCurrent = true;
    const timer = setTimeout(
      async () => {
        try {
          const options = await findObjects(text, model);
          if (isCurrent) setFound({ options, problem: null, isLoading: false });
        } catch (problem) {
          if (isCurrent) setFound({ options: [], problem: errorMessage(problem), isLoading: false });
        }
      },
      text === '' ? 0 : pauseMs,
    );
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [model, text, isWanted]);
  return found;
}
