import { randomText } from '../../platform/random.ts';

const mark = /-parked-[a-z0-9]{12}(@|$)/;

/**
 * A name that no other object has, for as long as the one that it should have is held by another; of an address the
 * domain stays.
 */
export function temporaryName(name: string): string {
  const at = name.includes('@') ? name.lastIndexOf('@') : name.length;
  return `${name.slice(0, at)}-parked-${randomText(12).toLowerCase()}${name.slice(at)}`;
}

export const isTemporaryName = (name: string): boolean => mark.test(name);
