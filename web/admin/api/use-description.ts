import { createContext, use, useCallback } from 'react';
import { callAsPerson } from '../../api/call.ts';
import { type Loadable, useLoadable } from '../../elements/loading.tsx';
import { known } from '../../texts/texts.ts';
import { type Description, describe } from './description.ts';
import type { Document } from './document.ts';

/** Descriptions by path, each asked for once. */
export type Descriptions = (path: string) => Promise<Description>;

export function createDescriptions(): Descriptions {
  const asked = new Map<string, Promise<Description>>();
  return (path) => {
    let description = asked.get(path);
    if (!description) {
      description = callAsPerson<Document>('GET', `/schema/?under=${encodeURIComponent(path)}`).then((document) =>
        describe(path, document, known),
      );
      asked.set(path, description);
      description.catch(() => asked.delete(path));
    }
    return description;
  };
}

export const DescriptionsContext = createContext<Descriptions>(createDescriptions());

export function useDescription(path: string): Loadable<Description> {
  const descriptions = use(DescriptionsContext);
  return useLoadable(useCallback(() => descriptions(path), [descriptions, path]));
}
