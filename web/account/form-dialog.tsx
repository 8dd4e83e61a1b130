import { type FormEvent, type ReactNode, useState } from 'react';
import { errorMessage } from '../api/call.ts';
import { ApiProblem } from '../api/client.ts';
import { Button } from '../elements/button.tsx';
import { Dialog } from '../elements/dialog.tsx';
import { DialogButtons } from '../elements/dialog-buttons.tsx';
import { Notice } from '../elements/notice.tsx';

/** Errors by member. */
export type Complaints = Readonly<Record<string, readonly string[]>>;

interface FormFacts {
  readonly title: string;
  /** The label of the submit button. */
  readonly submit: string;
  onSubmit(form: FormData): Promise<unknown>;
  children(complaints: Complaints): ReactNode;
}

interface Props extends FormFacts {
  /** The label of the button that opens it; `about` is added for screen readers. */
  readonly opener: string;
  readonly about?: string;
  readonly look?: 'primary' | 'plain' | 'quiet';
}

/** A button that opens a form in front of the page. */
export function FormDialog({ opener, about, look = 'plain', ...facts }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look={look} onClick={() => setOpen(true)}>
        {opener}
        {about && <span className="visually-hidden"> {about}</span>}
      </Button>
      {isOpen && <DialogForm {...facts} onClose={() => setOpen(false)} />}
    </>
  );
}

function DialogForm({ title, submit, onSubmit, onClose, children }: FormFacts & { onClose(): void }) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);

  async function send(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    try {
      await onSubmit(new FormData(event.currentTarget));
      onClose();
    } catch (caught) {
      setProblem(caught);
      setBusy(false);
    }
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <form className="stack" onSubmit={send}>
        {problem !== null && <FormProblem problem={problem} />}
        {children(problem instanceof ApiProblem ? problem.fields : {})}
        <DialogButtons onLeave={onClose}>
          <Button look="primary" type="submit" isBusy={isBusy}>
            {submit}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

/** Errors that belong to no field. */
function FormProblem({ problem }: { problem: unknown }) {
  const fields = problem instanceof ApiProblem ? problem.fields : {};
  const isToldByFields = Object.keys(fields).some((name) => name !== 'non_field_errors');
  const words = isToldByFields ? fields.non_field_errors?.join(' ') : errorMessage(problem);
  return words && <Notice tone="bad">{words}</Notice>;
}
