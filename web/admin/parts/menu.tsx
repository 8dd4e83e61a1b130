import './menu.css';
import { Button } from '../../elements/button.tsx';
import { t } from '../../texts/texts.ts';
import { goTo, hereWith } from '../address.ts';

export interface MenuItem {
  /** The name of its dialog in the address. */
  readonly name: string;
  readonly title: string;
  /** A file to download instead. */
  readonly download?: string;
}

/** What can be done with an object or a list, each by a dialog. One by itself needs no menu. */
export function ActionMenu({ items }: { items: readonly MenuItem[] }) {
  const [first, ...others] = items;
  if (!first) return null;
  if (others.length === 0) return <Entry item={first} />;
  return (
    <details
      className="menu"
      onKeyDown={(event) => {
        if (event.key === 'Escape') closeMenu(event.currentTarget);
      }}
    >
      <summary className="button">{t('Actions')}</summary>
      <ul>
        {items.map((item) => (
          <li key={item.name}>
            <Entry item={item} look="quiet" />
          </li>
        ))}
      </ul>
    </details>
  );
}

function Entry({ item: { name, title, download }, look = 'plain' }: { item: MenuItem; look?: 'plain' | 'quiet' }) {
  if (download !== undefined)
    return (
      <a
        className={`button button-${look}`}
        href={download}
        download
        onClick={({ currentTarget }) => closeMenu(currentTarget)}
      >
        {title}
      </a>
    );
  return (
    <Button
      look={look}
      data-action={name}
      onClick={({ currentTarget }) => {
        closeMenu(currentTarget);
        goTo(hereWith({ dialog: name }));
      }}
    >
      {title}
    </Button>
  );
}

/** The focus goes to the button of the menu, where a dialog returns it to. */
function closeMenu(inside: HTMLElement): void {
  const menu = inside.closest('details');
  menu?.querySelector('summary')?.focus();
  menu?.removeAttribute('open');
}
