import type { FormEvent, ReactNode } from 'react';
import { Button } from '../../elements/button.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { DialogButtons } from '../../elements/dialog-buttons.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { goTo, hereWith } from '../address.ts';
import { useDialog } from '../use-dialog.ts';

interface Props {
  /** As the address names it. */
  readonly name: string;
  readonly title: string;
  readonly confirm: string;
  /** What the button that leaves it is called. */
  readonly leave?: string;
  readonly look?: 'primary' | 'danger';
  readonly children: ReactNode;
  act(): Promise<void>;
}

/** A dialog that does one thing and says what went wrong. */
export function ActionDialog(props: Props) {
  return useDialog(props.name).isOpen ? <Open {...props} /> : null;
}

function Open({ name, title, confirm, leave, look = 'primary', act, children }: Props) {
  const { close } = useDialog(name);
  const { isBusy, problem, attempt } = useAttempt();
  function submit(event: FormEvent): void {
    event.preventDefault();
    void attempt(act);
  }
  return (
    <Dialog title={title} onClose={close}>
      <form className="stack" noValidate onSubmit={submit}>
        {children}
        {problem && <Notice tone="bad">{problem}</Notice>}
        <DialogButtons onLeave={close} {...(leave && { leave })}>
          <Button type="submit" look={look} isBusy={isBusy}>
            {confirm}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

export const closeDialog = () => goTo(hereWith({ dialog: null }), { replace: true });
