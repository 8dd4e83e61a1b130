import { useEffect, useState } from 'react';
import { Notice } from '../../elements/notice.tsx';
import { Rich } from '../../texts/rich.tsx';
import { t } from '../../texts/texts.ts';
import { forgetSignOut, hasSignedOut, pageFacts } from '../page-facts.ts';

/** For people who have just signed out, or who open the page while signed in. */
export function AlreadyHere() {
  const { signedInAs } = pageFacts();
  const [isOut] = useState(hasSignedOut);
  useEffect(forgetSignOut, []);
  if (signedInAs) {
    return (
      <Notice tone="plain">
        <Rich
          text="You are signed in as <b>{name}</b>. <a>Go to your account</a>, or sign in again below."
          values={{
            name: <bdi>{signedInAs}</bdi>,
            b: (parts) => <strong>{parts}</strong>,
            a: (parts) => <a href="/">{parts}</a>,
          }}
        />
      </Notice>
    );
  }
  return isOut ? <Notice tone="good">{t('You have signed out.')}</Notice> : null;
}
