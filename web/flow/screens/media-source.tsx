import { useState } from 'react';
import type { SourceMediasrcChallenge } from '../../api/types.ts';
import { t } from '../../texts/texts.ts';
import { CancelLink, Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';
import { Who } from '../who.tsx';
import { MediaSignIn } from './media-sign-in.tsx';

/** A step that requires authentication at the media server. */
export function MediaSourceScreen({ challenge }: { challenge: SourceMediasrcChallenge }) {
  const { answer } = useWalkOfScreen();
  // An unsuitable account is asked for again, with a new code.
  const [attempt, setAttempt] = useState(0);

  async function send(plex_token: string): Promise<void> {
    await answer({ plex_token });
    setAttempt((before) => before + 1);
  }

  return (
    <Step
      challenge={challenge}
      title={t('Verify your identity')}
      intro={t('This step identifies you at the media server.')}
      links={<CancelLink challenge={challenge}>{t('Start again')}</CancelLink>}
    >
      <Who challenge={challenge} />
      <MediaSignIn key={attempt} name={t('the media server')} challenge={challenge} onToken={send} />
    </Step>
  );
}
