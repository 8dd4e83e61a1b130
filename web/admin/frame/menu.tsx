import { useEffect, useState } from 'react';
import { type Text, t } from '../../texts/texts.ts';
import { hrefOf, useAddress } from '../address.ts';
import { entryAt, type Interface, useInterface } from '../api/interface.ts';
import { Link } from '../link.tsx';
import { menuFor, start } from './menu-list.ts';

/** The way to every page; on narrow screens it unfolds. */
export function Menu() {
  const known = useInterface();
  const { path } = useAddress();
  const [isOpen, setOpen] = useState(false);
  const current = menuPath(path, known);
  // Wherever one goes, and by whatever way, the menu has done its part.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what it is about
  useEffect(() => setOpen(false), [path]);
  const groups = menuFor(known);
  const here = groups.flatMap(({ items }) => items).find((item) => item.path === current)?.title;
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
        <span>{t(here ?? start.title)}</span>
        <span aria-hidden="true">{isOpen ? '▴' : '▾'}</span>
      </button>
      <div id="admin-menu-list" className="admin-menu-list" data-open={isOpen || undefined}>
        <ul>
          <Item {...start} isCurrent={path === '/'} />
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

function Item({ title, path, isCurrent }: { title: Text; path: string; isCurrent: boolean }) {
  return (
    <li>
      <Link href={hrefOf(path)} aria-current={isCurrent ? 'page' : undefined}>
        {t(title)}
      </Link>
    </li>
  );
}

/** Under which entry of the menu a page is: kinds are under their family. */
function menuPath(path: string, { resources }: Interface): string {
  const [entry] =
    entryAt(resources, path.replace(/^\/(new|edit)\//, '/').replace(/^\/applications\//, '/core/applications/')) ?? [];
  return entry ? (entry.family ?? entry.path) : path;
}
