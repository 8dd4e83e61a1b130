import './detail.css';
import './form.css';
import { type FormEvent, useEffect, useRef } from 'react';
import { Button } from '../../elements/button.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { DialogButtons } from '../../elements/dialog-buttons.tsx';
import { TextField } from '../../elements/field.tsx';
import { Waiting } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { t } from '../../texts/texts.ts';
import type { Action } from '../api/action.ts';
import type { Member } from '../api/document.ts';
import { useDialog } from '../use-dialog.ts';
import { Widget } from '../widgets/widget.tsx';
import { factsOf, type WidgetProps } from '../widgets/widget-props.ts';
import { ActionResult } from './action-result.tsx';
import { type RunProps, useRun } from './use-run.ts';

/** Reads that reveal nothing more than the object itself need no further press of a button. */
const runsAtOnce = ({ method, parameters, needs, file }: Action): boolean =>
  method === 'GET' && parameters.length === 0 && needs.length === 0 && file === null;

/** Asks for what an action takes, runs it and shows what came of it. */
export function RunDialog(props: RunProps) {
  const { action, dialog } = props;
  const { close } = useDialog(dialog);
  const { values, set, complaints, problem, isBusy, result, run, download } = useRun(props, close);
  const isAtOnce = runsAtOnce(action);
  const atOnce = useRef(isAtOnce ? run : null);
  useEffect(() => {
    void atOnce.current?.();
  }, []);
  const members = [...action.parameters, ...action.body];
  const known = new Set(members.map(({ name }) => name));
  const others = Object.entries(complaints).filter(([name]) => !known.has(name));
  return (
    <Dialog title={action.label} onClose={close} isWide={result !== null}>
      <form
        className="stack"
        noValidate
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          void (action.file === 'always' ? download() : run());
        }}
      >
        <p className="quiet">{action.summary}</p>
        {members.map((member) => (
          <Entry
            key={member.name}
            member={member}
            value={values[member.name]}
            errors={complaints[member.name] ?? []}
            onChange={(value) => set(member.name, value)}
          />
        ))}
        {others.map(([name, texts]) => (
          <Notice key={name} tone="bad">
            {texts.join(' ')}
          </Notice>
        ))}
        {problem && <Notice tone="bad">{problem}</Notice>}
        {isAtOnce && isBusy && !result && <Waiting />}
        {result && <ActionResult members={action.answer} value={result.value} />}
        <DialogButtons leave={t(result ? 'Close' : 'Cancel')} onLeave={close}>
          {action.file === 'on request' && (
            <Button isBusy={isBusy} onClick={() => void download()}>
              {t('Download')}
            </Button>
          )}
          {(!result || members.length > 0) && !isAtOnce && (
            <Button type="submit" look="primary" isBusy={isBusy}>
              {verbOf(action)}
            </Button>
          )}
        </DialogButtons>
      </form>
    </Dialog>
  );
}

function verbOf({ file, method, label }: Action): string {
  if (file === 'always') return t('Download');
  return method === 'GET' ? t('Show') : label;
}

/** What a member is entered with. A file is no text, as it is in other forms. */
function Entry(props: WidgetProps) {
  if (!isFile(props.member)) return <Widget {...props} />;
  return (
    <TextField
      {...factsOf(props)}
      type="file"
      onChange={({ currentTarget }) => props.onChange(currentTarget.files?.[0])}
    />
  );
}

const isFile = ({ schema }: Member): boolean => schema.format === 'binary';
