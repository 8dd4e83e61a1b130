import type { ReactNode } from 'react';
import type { AdminOverview } from '../../api/types.ts';
import { pageLocale } from '../../texts/page-language.ts';
import { t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { KindIcon } from '../icons/kind-icon.tsx';
import { atLeast, moreThan, numberText } from '../labels.ts';
import { Link } from '../link.tsx';

const dayHours = 24;
const actions = { logins: 'login', failures: 'login_failed' } as const;
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

/** The figures that say at a glance how the server is used, as far as the caller may see them. */
export function Tiles({ overview: { counts, week, at_least } }: { overview: AdminOverview }) {
  const isAtLeast = at_least.includes('week');
  const amount = (name: 'users' | 'applications') => moreThan(numberText(counts[name] ?? 0), at_least.includes(name));
  const daily = { query: { period: 'day' }, isAtLeast };
  return (
    <ul className="start-tiles">
      {counts.users !== null && <Tile title={t('Users')} path="/core/users/" figure={amount('users')} />}
      {counts.applications !== null && (
        <Tile title={t('Applications')} path="/core/applications/" figure={amount('applications')} />
      )}
      {week && <DailyTile title={t('Sign-ins in 24 hours')} action={actions.logins} hours={week.logins} {...daily} />}
      {week && (
        <DailyTile
          title={t('Failed sign-ins in 24 hours')}
          action={actions.failures}
          hours={week.logins_failed}
          isBad
          {...daily}
        />
      )}
    </ul>
  );
}

interface TileProps {
  readonly title: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly figure: string;
  readonly children?: ReactNode;
}

function Tile({ title, path, query, figure, children }: TileProps) {
  return (
    <li>
      <Link className="start-tile" href={hrefOf(path, query)}>
        <span className="start-tile-title">
          <KindIcon path={path} />
          {title}
        </span>
        <strong>{figure}</strong>
        {children}
      </Link>
    </li>
  );
}

interface DailyProps {
  readonly title: string;
  readonly action: string;
  readonly query: Readonly<Record<string, string>>;
  readonly hours: readonly number[];
  readonly isAtLeast: boolean;
  readonly isBad?: boolean;
}

/** What happened in the last 24 hours, beside the days before. */
function DailyTile({ title, action, query, hours, isAtLeast, isBad }: DailyProps) {
  const days = Array.from({ length: hours.length / dayHours }, (_, day) =>
    sum(hours.slice(day * dayHours, (day + 1) * dayHours)),
  );
  const [before = 0, last = 0] = days.slice(-2);
  const change = new Intl.NumberFormat(pageLocale(), { signDisplay: 'exceptZero' }).format(last - before);
  return (
    <Tile
      title={title}
      path="/events/events/"
      query={{ ...query, action }}
      figure={atLeast(numberText(last), isAtLeast)}
    >
      <Bars counts={days} isBad={isBad} />
      <span className="start-tile-note quiet small">{t('{change} from the day before', { change })}</span>
    </Tile>
  );
}

const barWidth = 8;
const maxHeight = 28;

/** The week in small; its numbers are in the table of the chart below. */
function Bars({ counts, isBad }: { counts: readonly number[]; isBad: boolean | undefined }) {
  const most = Math.max(1, ...counts);
  return (
    <svg
      className="start-bars"
      data-bad={isBad || undefined}
      viewBox={`0 0 ${counts.length * barWidth} ${maxHeight}`}
      aria-hidden="true"
    >
      {counts.map((count, day) => {
        const height = Math.max(2, (count / most) * maxHeight);
        // biome-ignore lint/suspicious/noArrayIndexKey: a day is identified by its position
        return <rect key={day} x={day * barWidth} y={maxHeight - height} width={barWidth - 2} height={height} rx="1" />;
      })}
    </svg>
  );
}
