import { useEffect, useRef } from 'react';
import { t } from '../../texts/texts.ts';
import { hereWith } from '../address.ts';
import { Link } from '../link.tsx';

export interface Tab {
  readonly name: string;
  readonly title: string;
}

/** Parts of a page; each has its address, so they are links. */
export function Tabs({ tabs, current }: { tabs: readonly Tab[]; current: string }) {
  const place = useRef<HTMLElement>(null);
  // On narrow screens the tabs scroll sideways.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is current
  useEffect(() => {
    const list = place.current?.querySelector('ul');
    const link = place.current?.querySelector<HTMLElement>('[aria-current]');
    if (list && link) list.scrollTo({ left: link.offsetLeft - (list.clientWidth - link.offsetWidth) / 2 });
  }, [current]);
  if (tabs.length < 2) return null;
  return (
    <nav ref={place} className="tabs" aria-label={t('Parts of this page')}>
      <ul>
        {tabs.map(({ name, title }, at) => (
          <li key={name}>
            <Link
              href={hereWith({ tab: at === 0 ? null : name, page: null })}
              aria-current={name === current ? 'page' : undefined}
            >
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
