import { t } from '../../texts/texts.ts';
import './setup.css';
import { Button } from '../../elements/button.tsx';
import type { WithPendingUser } from '../challenge.ts';
import { forgetKnownUser } from '../known-user.ts';
import { Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';
import { Who } from '../who.tsx';

export function UserLoginScreen({ challenge }: { challenge: WithPendingUser }) {
  const { answer, isBusy } = useWalkOfScreen();
  /** Others use this device too, so it remembers no name either. */
  function refuse(): void {
    forgetKnownUser();
    void answer({ remember_me: false });
  }

  return (
    <Step
      challenge={challenge}
      title={t('Stay signed in?')}
      intro={t('Stay signed in on this device? Choose no if others use it too.')}
      onSubmit={() => void answer({ remember_me: true })}
    >
      <Who challenge={challenge} />
      <div className="pair">
        <Button isBusy={isBusy} onClick={refuse}>
          {t('No')}
        </Button>
        <Button type="submit" look="primary" isBusy={isBusy}>
          {t('Stay signed in')}
        </Button>
      </div>
    </Step>
  );
}
