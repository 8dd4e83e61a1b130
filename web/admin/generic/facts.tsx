import './detail.css';
import type { Member } from '../api/document.ts';
import type { Names, Row } from '../api/objects.ts';
import { Value } from './value.tsx';

interface Props {
  readonly row: Row;
  readonly members: readonly Member[];
  readonly names: Names;
}

/** Members with their values, to read. */
export function Facts({ row, members, names }: Props) {
  return (
    <dl className="facts">
      {members.map((member) => (
        <div key={member.name}>
          <dt>{member.note.label}</dt>
          <dd>
            <Value member={member} value={row[member.name]} names={names} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
