import { Button } from '../../elements/button.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { t } from '../../texts/texts.ts';
import { goTo, hereWith } from '../address.ts';
import { useDialog } from '../use-dialog.ts';

interface Props {
  readonly username: string;
  /** How the caller may give them a first password: dialogs, with the words of their buttons. */
  readonly ways: readonly { readonly name: string; readonly title: string }[];
}

/** As the address names it. */
export const firstSignInDialog = 'first-sign-in';

/** After a person is created: how they get a password. */
export function FirstSignIn({ username, ways }: Props) {
  const { isOpen, close } = useDialog(firstSignInDialog);
  if (!isOpen) return null;
  return (
    <Dialog title={t('How will {name} sign in?', { name: username })} onClose={close}>
      <p>{t('They have no password yet. With a link, they choose one themselves.')}</p>
      <div className="stack-tight">
        {ways.map(({ name, title }, at) => (
          <Button
            key={name}
            look={at === 0 ? 'primary' : 'plain'}
            onClick={() => goTo(hereWith({ dialog: name }), { replace: true })}
          >
            {title}
          </Button>
        ))}
        <Button look="quiet" onClick={close}>
          {t('Nothing for now')}
        </Button>
      </div>
    </Dialog>
  );
}
