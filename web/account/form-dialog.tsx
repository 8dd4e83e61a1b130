import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react';
import { ApiProblem } from '../api/client.ts';
import { Button } from '../elements/button.tsx';
import { Notice } from '../elements/notice.tsx';
import { wordsOf } from './call.ts';

/** What the server says against each member of what was sent. */
export type Complaints = Readonly<Record<string, readonly string[]>>;

interface Props {
  /** What the button says that opens it; `about` is added for those who hear it without the row it stands in. */
  readonly opener: string;
  readonly about?: string;
  readonly look?: 'primary' | 'plain' | 'quiet';
  readonly title: string;
  /** What the button says that sends the form. */
  readonly submit: string;
  onSubmit(form: FormData): Promise<unknown>;
  children(complaints: Complaints): ReactNode;
}

/** A form of its own in front of the page. */
export function FormDialog({ opener, about, look = 'plain', title, submit, onSubmit, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Each time it is opened it begins anew.
  const [opened, setOpened] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);

  function open(): void {
    setOpened(opened + 1);
    setProblem(null);
    dialog.current?.showModal();
  }

  async function send(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    try {
      await onSubmit(new FormData(event.currentTarget));
      dialog.current?.close();
    } catch (caught) {
      setProblem(caught);
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <Button look={look} onClick={open}>
        {opener}
        {about && <span className="visually-hidden"> {about}</span>}
      </Button>
      <dialog ref={dialog} className="dialog" aria-labelledby={id}>
        <form className="stack" key={opened} onSubmit={send}>
          <h2 id={id}>{title}</h2>
          {problem !== null && <FormProblem problem={problem} />}
          {children(problem instanceof ApiProblem ? problem.fields : {})}
          <div className="row">
            <Button look="primary" type="submit" isBusy={isBusy}>
              {submit}
            </Button>
            <Button onClick={() => dialog.current?.close()}>Cancel</Button>
          </div>
        </form>
      </dialog>
    </>
  );
}

/** What is wrong beside what the fields say themselves. */
function FormProblem({ problem }: { problem: unknown }) {
  const isTold =
    problem instanceof ApiProblem && Object.keys(problem.fields).some((name) => name !== 'non_field_errors');
  if (!isTold) return <Notice tone="bad">{wordsOf(problem)}</Notice>;
  const whole = problem.fields.non_field_errors;
  return whole && <Notice tone="bad">{whole.join(' ')}</Notice>;
}
