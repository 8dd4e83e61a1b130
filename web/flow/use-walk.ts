import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiProblem, NetworkLost } from '../api/client.ts';
import type { ChallengeTypes } from '../api/types.ts';
import { known, t } from '../texts/texts.ts';
import { captchaComponent, deniedComponent, faultComponent, redirectComponent } from './challenge.ts';
import { type Answer, type FlowAddress, sendAnswer, showChallenge } from './executor.ts';
import { rememberSignIn } from './known-user.ts';
import { confirmNewPassword, forgetNewPassword } from './new-password-note.ts';
import { noteSignOut } from './page-facts.ts';
import { safeAddress } from './safe-address.ts';

interface Trouble {
  readonly text: string;
  readonly requestId: string;
  /** Retrying cannot help. */
  readonly isFinal: boolean;
}

export interface Walk {
  /** Null until the first one arrives. */
  readonly challenge: ChallengeTypes | null;
  /** Counts steps: an invalid answer leaves the person, and what they typed, at the same step. */
  readonly step: number;
  readonly isBusy: boolean;
  /** Why the last attempt failed. What was typed is preserved. */
  readonly trouble: Trouble | null;
  /** The walk expired on the server while this page was open, and started over. */
  readonly hasRestarted: boolean;
  /** Only shows how the screen looks: nothing is sent. */
  readonly isPreview?: boolean;
  /**
   * Sends an answer to the current step, unless one is in flight. `isPart` says that the step continues after it: what
   * was typed and chosen there is preserved.
   */
  answer(values: Answer, how?: { readonly isPart: boolean }): Promise<void>;
  /** Reloads the current challenge. */
  refresh(): Promise<void>;
}

/** Goes through a flow step by step. `leave` takes challenges that lead elsewhere, and says whether this is one. */
export function useWalk(flow: FlowAddress, leave: (challenge: ChallengeTypes) => boolean = follow): Walk {
  const [challenge, setChallenge] = useState<ChallengeTypes | null>(null);
  const [step, setStep] = useState(0);
  const [isBusy, setBusy] = useState(true);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [hasRestarted, setRestarted] = useState(false);
  const isUnderWay = useRef(false);
  const first = useRef('');

  const attempt = useCallback(
    async (call: () => Promise<ChallengeTypes>, before: ChallengeTypes | null, isPart = false) => {
      if (isUnderWay.current) return;
      isUnderWay.current = true;
      setBusy(true);
      let isLeaving = false;
      try {
        const received = await call();
        isLeaving = leave(received) || leaveForeignScripts(before, received);
        if (isLeaving) return;
        const facts = JSON.stringify(received);
        first.current ||= facts;
        setRestarted(before !== null && facts === first.current && JSON.stringify(before) !== facts);
        setTrouble(null);
        const isSameStep =
          received.component === before?.component && (isPart || received.response_errors !== undefined);
        if (!isSameStep) setStep((count) => count + 1);
        setChallenge(received);
      } catch (error) {
        setTrouble(troubleOf(error));
      } finally {
        isUnderWay.current = false;
        if (!isLeaving) setBusy(false);
      }
    },
    [leave],
  );

  const refresh = useCallback(() => attempt(() => showChallenge(flow), null), [attempt, flow]);
  const answer = useCallback<Walk['answer']>(
    (values, { isPart } = { isPart: false }) =>
      attempt(() => sendAnswer(flow, { component: challenge?.component, ...values }), challenge, isPart),
    [attempt, flow, challenge],
  );

  useEffect(() => {
    forgetNewPassword();
    void refresh();
    // A page restored from the back/forward cache shows a step that has been passed.
    const onReturn = (event: PageTransitionEvent) => event.persisted && void refresh();
    addEventListener('pageshow', onReturn);
    return () => removeEventListener('pageshow', onReturn);
  }, [refresh]);

  return { challenge, step, isBusy, trouble, hasRestarted, answer, refresh };
}

/** Follows a redirect challenge; false if it is none. */
export function follow(challenge: ChallengeTypes): boolean {
  const to = challenge.component === redirectComponent ? safeAddress(challenge.to) : null;
  if (to) {
    noteSignOut();
    rememberSignIn();
    confirmNewPassword();
    location.assign(to);
  }
  return to !== null;
}

/** These end the walk, and a reload would lose them. */
const staysAfterCaptcha: ReadonlySet<string> = new Set([captchaComponent, deniedComponent, faultComponent]);

/** Reloads the page to drop a captcha service's script before later steps, where passwords may be typed. */
function leaveForeignScripts(before: ChallengeTypes | null, shown: ChallengeTypes): boolean {
  const isLeaving = before?.component === captchaComponent && !staysAfterCaptcha.has(shown.component);
  if (isLeaving) location.reload();
  return isLeaving;
}

function troubleOf(error: unknown): Trouble {
  if (error instanceof NetworkLost) {
    const text = t('{problem} Please check your connection and try again.', { problem: known(error.message) });
    return { text, requestId: '', isFinal: false };
  }
  if (!(error instanceof ApiProblem)) throw error;
  const { status, message, requestId } = error;
  if (status === 404)
    return { text: t('This page does not exist. The link may be wrong or out of date.'), requestId, isFinal: true };
  return { text: known(message), requestId: status >= 500 ? requestId : '', isFinal: false };
}
