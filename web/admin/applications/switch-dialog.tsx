import { apiFetch } from '../../api/call.ts';
import type { Application } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useToast } from '../../elements/toast.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { t } from '../../texts/texts.ts';
import { ActionDialog, closeDialog } from '../parts/action-dialog.tsx';

interface Props {
  readonly application: Application;
  reload(): Promise<void>;
}

const turn = ({ slug }: Application, enabled: boolean) =>
  apiFetch('PATCH', `/core/applications/${encodeURIComponent(slug)}/`, { enabled });

const dialog = 'switch-off';

export const switchOffItem = () => ({ name: dialog, title: t('Switch off…') });

/** Switches the application off. */
export function SwitchOffDialog({ application, reload }: Props) {
  const done = useToast();
  const { name } = application;
  return (
    <ActionDialog
      name={dialog}
      title={t('Switch {name} off?', { name })}
      confirm={t('Switch off')}
      act={async () => {
        await turn(application, false);
        closeDialog();
        await reload();
        done(t('{name} is switched off.', { name }));
      }}
    >
      <p>{t('Nobody can sign in to it, its tile disappears, and its tokens do not work. Settings and access stay.')}</p>
    </ActionDialog>
  );
}

/** A notice that the application is off, with a button to switch it on. */
export function SwitchedOff({ application, reload, mayChange }: Props & { mayChange: boolean }) {
  const { isBusy, problem, attempt } = useAttempt();
  const done = useToast();
  const switchOn = () =>
    attempt(async () => {
      await turn(application, true);
      await reload();
      done(t('{name} is switched on.', { name: application.name }));
    });
  return (
    <Notice tone={problem ? 'bad' : 'warn'}>
      <div className="row">
        <p className="rows-text">{problem ?? t('This application is switched off: nobody can sign in to it.')}</p>
        {mayChange && (
          <Button isBusy={isBusy} onClick={switchOn}>
            {t('Switch on')}
          </Button>
        )}
      </div>
    </Notice>
  );
}
