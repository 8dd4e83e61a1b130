import { createContext, use } from 'react';
import type { Walk } from './use-walk.ts';

export const WalkContext = createContext<Walk | null>(null);

/** The walk of the current screen. */
export function useWalkOfScreen(): Walk {
  const walk = use(WalkContext);
  if (!walk) throw new Error('screens stand in a walk');
  return walk;
}
