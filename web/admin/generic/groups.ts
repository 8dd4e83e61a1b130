import { known } from '../../texts/texts.ts';
import type { Member } from '../api/document.ts';

/** What may hold many objects follows what is quickly read. */
const isLongList = ({ note }: Member): boolean => note.kind === 'references';

/** Members by group, in their order; those without a group first, those that few people need last. */
export function grouped(members: readonly Member[]): [group: string, members: Member[]][] {
  const inOrder = members.toSorted((one, other) => Number(isLongList(one)) - Number(isLongList(other)));
  const groups = Map.groupBy(inOrder, ({ note }) => note.group ?? '');
  const ends: Record<string, number> = { '': 0, [known('Advanced')]: 2 };
  const rank = (group: string) => ends[group] ?? 1;
  return [...groups].toSorted(([one], [other]) => rank(one) - rank(other));
}
