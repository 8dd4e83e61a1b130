import { t } from '../../texts/texts.ts';
import { hereWith } from '../address.ts';
import { Link } from '../link.tsx';

export interface Tab {
  readonly name: string;
  readonly title: string;
}

/** Parts of a page; each has its address, so they are links. */
export function Tabs({ tabs, current }: { tabs: readonly Tab[]; current: string }) {
  if (tabs.length < 2) return null;
  return (
    <nav className="tabs" aria-label={t('Parts of this page')}>
      <ul>
        {tabs.map(({ name, title }, at) => (
          <li key={name}>
            <Link href={hereWith({ tab: at === 0 ? null : name })} aria-current={name === current ? 'page' : undefined}>
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
