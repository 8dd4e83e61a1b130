import './source-buttons.css';
import { useState } from 'react';
import { CloseIcon } from '../../elements/icons.tsx';
import { t } from '../../texts/texts.ts';
import { forgetKnownUser, knownUser } from '../known-user.ts';
import { useWalkOfScreen } from '../walk-context.ts';

/** For the last user of this device: their name need not be typed again. */
export function ContinueAs({ onContinue }: { onContinue(uid: string): void }) {
  const { isBusy } = useWalkOfScreen();
  const [known, setKnown] = useState(knownUser);
  if (!known) return null;
  return (
    <>
      <div className="known-user">
        <button
          type="button"
          className="button known-user-name"
          data-first=""
          aria-disabled={isBusy}
          onClick={() => !isBusy && onContinue(known.uid)}
        >
          <span className="known-user-letter" aria-hidden="true">
            {known.name.charAt(0).toLocaleUpperCase()}
          </span>
          <span>{t('Continue as {name}', { name: known.name })}</span>
        </button>
        <button
          type="button"
          className="button button-quiet known-user-forget"
          title={t('Forget this account on this device')}
          onClick={() => {
            forgetKnownUser();
            setKnown(null);
          }}
        >
          <CloseIcon />
          <span className="visually-hidden">{t('Forget this account on this device')}</span>
        </button>
      </div>
      <p className="or">{t('or')}</p>
    </>
  );
}
