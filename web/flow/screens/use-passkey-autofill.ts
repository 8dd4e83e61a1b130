import { useEffect, useState } from 'react';
import type { ChallengeTypes } from '../../api/types.ts';
import { t } from '../../texts/texts.ts';
import type { Challenge } from '../challenge.ts';
import { type FlowAddress, flowAddress, sendAnswer, showChallenge } from '../executor.ts';
import { type Options, offerPasskeys, withdrawPasskeys } from '../passkeys.ts';
import { follow } from '../use-walk.ts';

/**
 * Lets the browser offer passkeys by autofill if there is a passwordless flow, which then runs behind this screen.
 * Returns an error message, if any.
 */
export function usePasskeyAutofill(address: string | null): string {
  const [trouble, setTrouble] = useState('');
  useEffect(() => {
    if (!address) return;
    const flow = flowAddress(new URL(address));
    let isOver = false;
    void offerPasskeys(async () => optionsOf(await showChallenge(flow))).then(async (response) => {
      if (response === null || isOver) return;
      const challenge = await sendAnswer(flow, { component: validateComponent, webauthn: response });
      if (!follow(challenge)) showResult(flow, challenge, setTrouble);
    });
    return () => {
      isOver = true;
      void withdrawPasskeys();
    };
  }, [address]);
  return trouble;
}

const validateComponent = 'xak-stage-authenticator-validate';

/** Only a flow that starts with the passkey can run in the background. */
function optionsOf(challenge: ChallengeTypes): Options | null {
  if (challenge.component !== validateComponent) return null;
  const passkey = challenge.device_challenges.find(({ device_class }) => device_class === 'webauthn');
  return passkey?.challenge ?? null;
}

/** Shows the error of an invalid passkey here; anything else that the flow asks for opens its own page. */
function showResult({ slug, query }: FlowAddress, { response_errors }: Challenge, say: (text: string) => void): void {
  if (response_errors) say(t('That passkey does not sign you in here. Try another way.'));
  else location.assign(`/if/flow/${encodeURIComponent(slug)}/?${query}`);
}
