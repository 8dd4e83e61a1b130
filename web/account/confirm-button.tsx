import { type ReactNode, useId, useRef, useState } from 'react';
import { Button } from '../elements/button.tsx';
import { Notice } from '../elements/notice.tsx';
import { wordsOf } from './call.ts';

interface Props {
  /** What the button says; `about` is added for those who hear it without the row it stands in. */
  readonly children: ReactNode;
  readonly about?: string;
  readonly look?: 'plain' | 'quiet';
  readonly question: string;
  /** What comes of it. */
  readonly consequence: ReactNode;
  /** What the button says that does it. */
  readonly confirm: string;
  onConfirm(): Promise<unknown>;
}

/** Asks before something is done that cannot be undone. */
export function ConfirmButton({ children, about, look = 'quiet', question, consequence, confirm, onConfirm }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  async function act(): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      await onConfirm();
      dialog.current?.close();
    } catch (caught) {
      setProblem(wordsOf(caught));
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <Button look={look} onClick={() => dialog.current?.showModal()}>
        {children}
        {about && <span className="visually-hidden"> {about}</span>}
      </Button>
      <dialog
        ref={dialog}
        className="dialog"
        aria-labelledby={`${id}-question`}
        aria-describedby={`${id}-consequence`}
        onClose={() => setProblem(null)}
      >
        <div className="stack">
          <h2 id={`${id}-question`}>{question}</h2>
          <div id={`${id}-consequence`}>{consequence}</div>
          {problem && <Notice tone="bad">{problem}</Notice>}
          <div className="row">
            <Button look="danger" isBusy={isBusy} onClick={act}>
              {confirm}
            </Button>
            <Button onClick={() => dialog.current?.close()}>Cancel</Button>
          </div>
        </div>
      </dialog>
    </>
  );
}
