import type { Member } from '../api/document.ts';

/** Members by group, in their order; those without a group first. */
export function grouped(members: readonly Member[]): [group: string, members: Member[]][] {
  const groups = Map.groupBy(members, ({ note }) => note.group ?? '');
  return [...groups].toSorted(([one], [other]) => Number(one !== '') - Number(other !== ''));
}
