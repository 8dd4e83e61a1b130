import { type FormEvent, useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import type { OAuth2ProviderRotatedSecret } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { DialogButtons } from '../../elements/dialog-buttons.tsx';
import { Moment } from '../../elements/moment.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { Rich } from '../../texts/rich.tsx';
import { type Text, t } from '../../texts/texts.ts';
import { CopyRows } from '../parts/copy-rows.tsx';
import { useDialog } from '../use-dialog.ts';

interface Props {
  /** The API path of the provider. */
  readonly provider: string;
  onRotated(): void;
}

/** Gives the client of an application a new secret, while the one before stays valid for a time. */
export function NewSecretButton({ provider, onRotated }: Props) {
  const { isOpen, open, close } = useDialog('new-secret');
  return (
    <>
      <Button onClick={open}>{t('New secret…')}</Button>
      {isOpen && <NewSecretDialog provider={provider} onRotated={onRotated} onClose={close} />}
    </>
  );
}

const validities: readonly (readonly [value: string, text: Text])[] = [
  ['seconds=0', 'Invalid at once'],
  ['hours=24', 'Valid for 24 hours'],
  ['days=7', 'Valid for 7 days'],
];

function NewSecretDialog({ provider, onRotated, onClose }: Props & { onClose(): void }) {
  const [validity, setValidity] = useState('hours=24');
  const [rotated, setRotated] = useState<OAuth2ProviderRotatedSecret | null>(null);
  const { isBusy, problem, attempt } = useAttempt();
  function rotate(event: FormEvent): void {
    event.preventDefault();
    void attempt(async () => {
      setRotated(await apiFetch('POST', `${provider}rotate_secret/`, { previous_valid_for: validity }));
      onRotated();
    });
  }
  if (rotated)
    return (
      <Dialog title={t('The new client secret')} onClose={onClose}>
        <div className="stack">
          <p>{t('Enter it in the application now: it is shown once here.')}</p>
          <CopyRows rows={[{ label: t('Client secret'), text: rotated.client_secret }]} />
          {rotated.previous_secret_expires && (
            <p className="quiet">
              <Rich
                text="The previous secret expires {time}."
                values={{ time: <Moment key="time" at={rotated.previous_secret_expires} /> }}
              />
            </p>
          )}
          <DialogButtons leave={t('Close')} onLeave={onClose} />
        </div>
      </Dialog>
    );
  return (
    <Dialog title={t('New client secret')} onClose={onClose}>
      <form className="stack" noValidate onSubmit={rotate}>
        <fieldset className="field">
          <legend>{t('The current secret')}</legend>
          {validities.map(([value, text]) => (
            <label key={value} className="choice">
              <input type="radio" name="validity" checked={validity === value} onChange={() => setValidity(value)} />
              <span>{t(text)}</span>
            </label>
          ))}
        </fieldset>
        {problem && <Notice tone="bad">{problem}</Notice>}
        <DialogButtons onLeave={onClose}>
          <Button type="submit" look="primary" isBusy={isBusy}>
            {t('Create')}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
