import type { ConfirmChallenge } from '../../api/types.ts';
import { t } from '../../texts/texts.ts';
import type { Challenge } from '../challenge.ts';
import { Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';

function introOf({ signs_out, sends_mail }: ConfirmChallenge): string {
  if (signs_out)
    return t('You will be signed out of this server and of all applications that you signed in to from here.');
  if (sends_mail) return t('You will get an email with a link. Go on only if you opened this page yourself.');
  return t('This changes your account or your session. Go on only if you opened this page yourself.');
}

/** Another page may have sent the browser here, so the user confirms what the flow does. */
export function ConfirmScreen({ challenge }: { challenge: Challenge & ConfirmChallenge }) {
  const { answer } = useWalkOfScreen();
  const { flow_info, ...others } = challenge;
  return (
    <Step
      challenge={challenge.signs_out ? others : challenge}
      title={t(challenge.signs_out ? 'Do you want to sign out?' : 'Do you want to continue?')}
      intro={introOf(challenge)}
      isGeneric
      isEdge
      action={challenge.signs_out ? t('Sign out') : t('Continue')}
      onSubmit={() => void answer({})}
      links={<a href="/">{challenge.signs_out ? t('Stay signed in') : t('Go to the start page')}</a>}
    />
  );
}
