import { useEffect, useRef } from 'react';
import { t } from '../../texts/texts.ts';
import { hereWith } from '../address.ts';
import { Link } from '../link.tsx';

export interface Tab {
  readonly name: string;
  readonly title: string;
}

/** A tab, or several that share one; then its name is that of the first. */
export interface TabGroup extends Tab {
  readonly parts?: readonly Tab[];
}

/** Tabs that share one with this title, as far as there are any. */
export const sharedTab = (title: string, parts: readonly Tab[]): TabGroup[] => {
  const [first] = parts;
  if (!first) return [];
  return [parts.length === 1 ? first : { name: first.name, title, parts }];
};

/** The name of the tab or part that an address asks for; else of the first one. */
export function tabAt(tabs: readonly TabGroup[], asked: string | null): string {
  const all = tabs.flatMap((tab) => tab.parts ?? [tab]);
  return (all.find(({ name }) => name === asked) ?? all[0])?.name ?? '';
}

/** Parts of a page; each has its address, so they are links. */
export function Tabs({ tabs, current }: { tabs: readonly TabGroup[]; current: string }) {
  const place = useRef<HTMLElement>(null);
  // On narrow screens the tabs scroll sideways.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is current
  useEffect(() => {
    const list = place.current?.querySelector('ul');
    const link = place.current?.querySelector<HTMLElement>('[aria-current]');
    if (list && link) list.scrollTo({ left: link.offsetLeft - (list.clientWidth - link.offsetWidth) / 2 });
  }, [current]);
  if (tabs.length < 2) return null;
  const isIn = ({ name, parts }: TabGroup) => name === current || parts?.some((part) => part.name === current) === true;
  const parts = tabs.find(isIn)?.parts ?? [];
  return (
    <nav ref={place} className="tabs" aria-label={t('Parts of this page')}>
      <ul>
        {tabs.map((tab, at) => (
          <li key={tab.name}>
            <Link
              href={hereWith({ tab: at === 0 ? null : tab.name, page: null })}
              aria-current={isIn(tab) ? 'page' : undefined}
            >
              {tab.title}
            </Link>
          </li>
        ))}
      </ul>
      {parts.length > 0 && (
        <ul className="tab-parts">
          {parts.map(({ name, title }) => (
            <li key={name}>
              <Link href={hereWith({ tab: name, page: null })} aria-current={name === current ? 'page' : undefined}>
                {title}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </nav>
  );
}
