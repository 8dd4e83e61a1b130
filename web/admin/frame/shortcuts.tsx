import { Dialog } from '../../elements/dialog.tsx';
import { DialogButtons } from '../../elements/dialog-buttons.tsx';
import { type Text, t } from '../../texts/texts.ts';
import { goTo, hrefOf } from '../address.ts';
import { useDialog } from '../use-dialog.ts';
import { commandKey, useKey } from './keys.ts';

/** Every shortcut, for the page that lists them. */
const shortcuts: readonly (readonly [keys: string, what: Text])[] = [
  [`${commandKey} K`, 'Find pages, objects and actions'],
  ['/', 'Find pages, objects and actions'],
  ['H', 'Go to the start page'],
  ['?', 'Show this list'],
  ['Esc', 'Close the topmost dialog'],
];

/** The shortcuts that work everywhere, and the list of them. */
export function Shortcuts() {
  const list = useDialog('shortcuts');
  useKey('?', false, list.open);
  useKey('h', false, () => goTo(hrefOf('/')));
  if (!list.isOpen) return null;
  return (
    <Dialog title={t('Keyboard shortcuts')} onClose={list.close}>
      <dl className="shortcuts">
        {shortcuts.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{t(what)}</dd>
          </div>
        ))}
      </dl>
      <DialogButtons leave={t('Close')} onLeave={list.close} />
    </Dialog>
  );
}
