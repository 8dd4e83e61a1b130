import { useEffect, useState } from 'react';
import { Notice } from '../../elements/notice.tsx';
import { forgetSignOut, hasSignedOut, pageFacts } from '../page-facts.ts';

/** For people who have just signed out, or who open the page while signed in. */
export function AlreadyHere() {
  const { signedInAs } = pageFacts();
  const [isOut] = useState(hasSignedOut);
  useEffect(forgetSignOut, []);
  if (signedInAs) {
    return (
      <Notice tone="plain">
        You are signed in as <strong>{signedInAs}</strong>. <a href="/">Go to your account</a>, or sign in again below.
      </Notice>
    );
  }
  return isOut ? <Notice tone="good">You have signed out.</Notice> : null;
}
