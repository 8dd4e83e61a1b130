import { useEffect, useRef, useState } from 'react';
import type { AdminInterface } from '../../api/types.ts';
import { t } from '../../texts/texts.ts';
import { hrefOf, useAddress } from '../address.ts';
import { entryAt, useInterface } from '../api/interface.ts';
import { KindIcon } from '../icons/kind-icon.tsx';
import { Link } from '../link.tsx';
import { type MenuItem, menuFor, start } from './menu-list.ts';

/** The main navigation; collapsible on narrow screens. */
export function Menu() {
  const known = useInterface();
  const { path } = useAddress();
  const [isOpen, setOpen] = useState(false);
  const groups = menuFor(known);
  const items = groups.flatMap((group) => group.items);
  const current = menuPath(path, known, items);
  const home = start();
  const here = [home, ...items].find((item) => item.path === current)?.title ?? t('Administration');
  const list = useRef<HTMLDivElement>(null);
  // Navigating closes the menu.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what it is about
  useEffect(() => setOpen(false), [path]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another entry is current
  useEffect(() => showWithin(list.current), [current]);
  return (
    <nav className="admin-menu" aria-label={t('Administration')}>
      <button
        type="button"
        className="button admin-menu-button"
        aria-expanded={isOpen}
        aria-controls="admin-menu-list"
        onClick={() => setOpen(!isOpen)}
      >
        <span className="visually-hidden">{t('Menu, now at')} </span>
        <span>{here}</span>
        <span aria-hidden="true">{isOpen ? '▴' : '▾'}</span>
      </button>
      <div ref={list} id="admin-menu-list" className="admin-menu-list" data-open={isOpen || undefined}>
        <ul>
          <Item {...home} isCurrent={current === home.path} />
        </ul>
        {groups.map(({ title, items }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
          <div key={title} role="group" aria-labelledby={`menu-${title}`}>
            <p className="admin-menu-title" id={`menu-${title}`}>
              {t(title)}
            </p>
            <ul>
              {items.map((item) => (
                <Item key={item.path} {...item} isCurrent={item.path === current} />
              ))}
            </ul>
          </div>
        ))}
      </div>
    </nav>
  );
}

function Item({ title, path, isCurrent }: MenuItem & { isCurrent: boolean }) {
  return (
    <li>
      <Link href={hrefOf(path)} aria-current={isCurrent ? 'page' : undefined}>
        <KindIcon path={path} />
        <span>{title}</span>
      </Link>
    </li>
  );
}

/** Scrolls the list, not the page, to its current entry. */
function showWithin(list: HTMLElement | null): void {
  const link = list?.querySelector<HTMLElement>('[aria-current]');
  if (!list || !link) return;
  const [outer, inner] = [list.getBoundingClientRect(), link.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom)
    list.scrollTop += inner.top - outer.top - (list.clientHeight - inner.height) / 2;
}

/** The menu entry of a page; a kind belongs to the entry of its family, other resources to "Everything". */
function menuPath(path: string, { resources }: AdminInterface, items: readonly MenuItem[]): string {
  const [entry] =
    entryAt(resources, path.replace(/^\/(new|edit)\//, '/').replace(/^\/applications\//, '/core/applications/')) ?? [];
  if (!entry) return path;
  const listed = entry.family ?? entry.path;
  return items.some((item) => item.path === listed) ? listed : '/everything/';
}
