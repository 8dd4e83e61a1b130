import { t } from '../../texts/texts.ts';
import type { Challenge } from '../challenge.ts';
import { Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';

/** Another page may have sent the browser here, so the user confirms what the flow does. */
export function ConfirmScreen({ challenge }: { challenge: Challenge & { readonly signs_out?: boolean } }) {
  const { answer } = useWalkOfScreen();
  const { flow_info, ...others } = challenge;
  return (
    <Step
      challenge={challenge.signs_out ? others : challenge}
      title={t(challenge.signs_out ? 'Do you want to sign out?' : 'Do you want to continue?')}
      intro={
        challenge.signs_out
          ? t('You will be signed out of everything that you have signed in to from here.')
          : t('This changes your account or your session. Go on only if you opened this page yourself.')
      }
      action={challenge.signs_out ? t('Sign out') : t('Continue')}
      onSubmit={() => void answer({})}
      links={<a href="/">{challenge.signs_out ? t('Stay signed in') : t('Go to the start page')}</a>}
    />
  );
}
