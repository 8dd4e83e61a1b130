import type { ReactNode } from 'react';
import { Moment } from '../../elements/moment.tsx';
import { Rich } from '../../texts/rich.tsx';
import { Link } from '../link.tsx';

export interface RowProps {
  readonly id: string;
  readonly tone?: 'plain' | 'good' | 'warning' | 'alert';
  readonly tag: string;
  readonly name: string;
  readonly href: string;
  readonly text?: string;
  readonly at?: string | null;
  /** When it is due next. */
  readonly next?: string | null;
  readonly action?: ReactNode;
}

/** Objects with their state, one below the other. */
export function RowList({ rows }: { rows: readonly RowProps[] }) {
  return (
    <ul className="rows">
      {rows.map(({ id, tone = 'plain', tag, name, href, text, at, next, action }) => (
        <li key={id} className="rows-row">
          <span className={tone === 'plain' ? 'tag' : `tag tag-${tone}`}>{tag}</span>
          <div className="rows-text">
            <Link href={href}>{name}</Link>
            {text && <p className="quiet small">{text}</p>}
          </div>
          {at && (
            <span className="quiet small">
              <Moment at={at} />
            </span>
          )}
          {next && (
            <span className="quiet small">
              <Rich text="Next: {at}" values={{ at: <Moment key="at" at={next} /> }} />
            </span>
          )}
          {action}
        </li>
      ))}
    </ul>
  );
}
