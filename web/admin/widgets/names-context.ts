import { createContext } from 'react';
import type { Names } from '../api/objects.ts';

/** The names of references, loaded with the object so that pickers need no requests. */
export const NamesContext = createContext<Names>(() => undefined);
