import type { Member } from '../api/document.ts';

/** Members under their headings, in the order in which they come; those without one first. */
export function grouped(members: readonly Member[]): [group: string, members: Member[]][] {
  const groups = Map.groupBy(members, ({ note }) => note.group ?? '');
  return [...groups].toSorted(([one], [other]) => Number(one !== '') - Number(other !== ''));
}
