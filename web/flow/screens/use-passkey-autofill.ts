import { useEffect, useState } from 'react';
import type { Challenge } from '../challenge.ts';
import { type FlowAddress, flowAddress, sendAnswer, showChallenge } from '../executor.ts';
import { offerPasskeys, type PublicKeyCredentialRequestOptionsJSON, withdrawPasskeys } from '../passkeys.ts';
import { follow } from '../use-walk.ts';
import type { ValidationChallenge } from './validate.tsx';

/**
 * Has the browser offer passkeys among what it fills in, where there is a flow for signing in with nothing else. That flow is
 * walked through behind this screen. Returns what went wrong, in words.
 */
export function usePasskeyAutofill(address: string | null): string {
  const [trouble, setTrouble] = useState('');
  useEffect(() => {
    if (!address) return;
    const flow = flowAddress(new URL(address));
    let isOver = false;
    void offerPasskeys(async () => optionsOf(await showChallenge(flow))).then(async (response) => {
      if (response === null || isOver) return;
      const shown = await sendAnswer(flow, { component: validateComponent, webauthn: response });
      if (!follow(shown)) settle(flow, shown, setTrouble);
    });
    return () => {
      isOver = true;
      void withdrawPasskeys();
    };
  }, [address]);
  return trouble;
}

const validateComponent = 'xak-stage-authenticator-validate';

/** Only a flow that begins with the passkey can be walked through unseen. */
function optionsOf(challenge: Challenge): PublicKeyCredentialRequestOptionsJSON | null {
  if (challenge.component !== validateComponent) return null;
  const { device_challenges } = challenge as ValidationChallenge;
  const passkey = device_challenges.find(({ device_class }) => device_class === 'webauthn');
  return (passkey?.challenge as unknown as PublicKeyCredentialRequestOptionsJSON) ?? null;
}

/** A passkey that is not good is said so here; whatever else the flow wants is done on its own page. */
function settle({ slug, query }: FlowAddress, { response_errors }: Challenge, say: (text: string) => void): void {
  if (response_errors) say('That passkey does not sign you in here. Try another way.');
  else location.assign(`/if/flow/${encodeURIComponent(slug)}/?${query}`);
}
