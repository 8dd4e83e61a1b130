import './menu.css';
import { Button } from '../../elements/button.tsx';
import { t } from '../../texts/texts.ts';
import { goTo, hereWith } from '../address.ts';

interface Item {
  /** The name of its dialog in the address. */
  readonly name: string;
  readonly title: string;
}

/** What can be done with an object or a list, each by a dialog. One by itself needs no menu. */
export function ActionMenu({ items }: { items: readonly Item[] }) {
  const [first, ...others] = items;
  if (!first) return null;
  if (others.length === 0)
    return (
      <Button data-action={first.name} onClick={() => goTo(hereWith({ dialog: first.name }))}>
        {first.title}
      </Button>
    );
  return (
    <details
      className="menu"
      onKeyDown={(event) => {
        if (event.key === 'Escape') closeMenu(event.currentTarget);
      }}
    >
      <summary className="button">{t('Actions')}</summary>
      <ul>
        {items.map(({ name, title }) => (
          <li key={name}>
            <Button
              look="quiet"
              data-action={name}
              onClick={({ currentTarget }) => {
                closeMenu(currentTarget);
                goTo(hereWith({ dialog: name }));
              }}
            >
              {title}
            </Button>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The focus goes to the button of the menu, where a dialog returns it to. */
function closeMenu(inside: HTMLElement): void {
  const menu = inside.closest('details');
  menu?.querySelector('summary')?.focus();
  menu?.removeAttribute('open');
}
