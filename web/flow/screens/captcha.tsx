import { useEffect, useRef, useState } from 'react';
import type { CaptchaChallenge } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { Notice } from '../../elements/notice.tsx';
import { t } from '../../texts/texts.ts';
import { safeAddress } from '../safe-address.ts';
import { CancelLink, Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';
import { Who } from '../who.tsx';
import { captchaService } from './captcha-service.ts';

/** Runs the service's script. The content policy of this page allows that one and no other. */
export function CaptchaScreen({ challenge }: { challenge: CaptchaChallenge }) {
  const { answer } = useWalkOfScreen();
  const place = useRef<HTMLDivElement>(null);
  const [hasFailed, setFailed] = useState(false);
  const { site_key, js_url, interactive = true } = challenge;

  useEffect(() => {
    let isGone = false;
    const solved = (token: string) => void (isGone || answer({ token }));
    captchaService(safeAddress(js_url) ?? '')
      .then((service) => !isGone && place.current && service.show(place.current, { site_key, interactive, solved }))
      .catch(() => !isGone && setFailed(true));
    return () => {
      isGone = true;
    };
    // A token is valid for one answer, so each challenge renders the widget again.
  }, [site_key, js_url, interactive, answer]);

  return (
    <Step
      challenge={challenge}
      title={t('Verify that you’re human')}
      intro={t('We check that a human is using this page.')}
      links={<CancelLink challenge={challenge}>{t('Start again')}</CancelLink>}
    >
      <Who challenge={challenge} />
      <div ref={place} />
      {hasFailed && (
        <>
          <Notice tone="bad">{t('The check could not be loaded. A blocker in your browser may be the reason.')}</Notice>
          <Button look="primary" onClick={() => location.reload()}>
            {t('Try again')}
          </Button>
        </>
      )}
    </Step>
  );
}
