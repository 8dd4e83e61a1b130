import { useEffect, useState } from 'react';
import { errorMessage } from '../../api/call.ts';
import { findObjects, type NamedObject } from '../api/objects.ts';
import { shippedNamesFor } from '../shipped-labels.ts';

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
          const options = await find(text, model);
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

/** The models whose shipped objects people know by a label. */
const labelled = /^svc_(flows|stages_\w+|policies\w*|core\.propertymapping|providers_oauth2\.scopemapping)\b/;
const maxLabelled = 4;

/** By what the server has, and shipped ones by their label, which it does not know. */
async function find(text: string, model: string): Promise<NamedObject[]> {
  const names = labelled.test(model) ? shippedNamesFor(text).slice(0, maxLabelled) : [];
  const found = (await Promise.all([text, ...names].map((one) => findObjects(one, model)))).flat();
  return [...new Map(found.map((object) => [`${object.model} ${object.pk}`, object])).values()];
}
