import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { DialogButtons } from './dialog-buttons.tsx';
import { Notice } from './notice.tsx';
import { useAttempt } from './use-attempt.ts';

interface Question {
  readonly question: string;
  /** The consequence. */
  readonly consequence: ReactNode;
  /** The label of the confirming button. */
  readonly confirm: string;
  onConfirm(): Promise<unknown>;
}

interface Props extends Question {
  /** The button's label; `about` is added for screen readers. */
  readonly children: ReactNode;
  readonly about?: string;
  readonly look?: 'plain' | 'quiet';
}

/** Asks before something is done that cannot be undone. */
export function ConfirmButton({ children, about, look = 'quiet', ...question }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look={look} onClick={() => setOpen(true)}>
        {children}
        {about && <span className="visually-hidden"> {about}</span>}
      </Button>
      {isOpen && <Confirmation {...question} onClose={() => setOpen(false)} />}
    </>
  );
}

function Confirmation({ question, consequence, confirm, onConfirm, onClose }: Question & { onClose(): void }) {
  const { isBusy, problem, attempt } = useAttempt();

  const act = () =>
    attempt(async () => {
      await onConfirm();
      onClose();
    });

  return (
    <Dialog title={question} onClose={onClose}>
      <div>{consequence}</div>
      {problem && <Notice tone="bad">{problem}</Notice>}
      <DialogButtons onLeave={onClose}>
        <Button look="danger" isBusy={isBusy} onClick={act}>
          {confirm}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
