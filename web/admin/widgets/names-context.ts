import { createContext } from 'react';
import type { Names } from '../api/objects.ts';

/** The names of what the object in a form refers to: read with it, so that no picker has to ask. */
export const NamesContext = createContext<Names>(() => undefined);
