import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiProblem, NetworkLost } from '../api/client.ts';
import {
  type Challenge,
  captchaComponent,
  deniedComponent,
  faultComponent,
  type Redirect,
  redirectComponent,
} from './challenge.ts';
import { type Answer, type FlowAddress, sendAnswer, showChallenge } from './executor.ts';
import { noteSignOut } from './page-facts.ts';
import { safeAddress } from './safe-address.ts';

export interface Trouble {
  readonly text: string;
  readonly requestId: string;
  /** Nothing that can be tried again will help. */
  readonly isFinal: boolean;
}

export interface Walk {
  /** Null until the first one has come. */
  readonly challenge: Challenge | null;
  /** Counts the steps: a complaint about an answer leaves the person, and what they typed, at the same one. */
  readonly step: number;
  readonly isBusy: boolean;
  /** Why the last attempt came to nothing. What was typed is still there. */
  readonly trouble: Trouble | null;
  /** The walk ended on the server while this page was open, and began anew. */
  readonly hasRestarted: boolean;
  /**
   * Sends an answer to the step that is shown. While one is under way, others are dropped. `isPart` says that the step goes
   * on after it: what was typed and chosen there is kept.
   */
  answer(values: Answer, how?: { readonly isPart: boolean }): Promise<void>;
  /** Asks again where the walk stands. */
  refresh(): Promise<void>;
}

/** Goes through a flow with the server, step by step. */
export function useWalk(flow: FlowAddress): Walk {
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const [step, setStep] = useState(0);
  const [isBusy, setBusy] = useState(true);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [hasRestarted, setRestarted] = useState(false);
  const isUnderWay = useRef(false);
  const first = useRef('');

  const attempt = useCallback(async (call: () => Promise<Challenge>, before: Challenge | null, isPart = false) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setBusy(true);
    let isLeaving = false;
    try {
      const shown = await call();
      isLeaving = follow(shown) || leaveForeignScripts(before, shown);
      if (isLeaving) return;
      const facts = JSON.stringify(shown);
      first.current ||= facts;
      setRestarted(before !== null && facts === first.current && JSON.stringify(before) !== facts);
      setTrouble(null);
      const isSameStep = shown.component === before?.component && (isPart || shown.response_errors !== undefined);
      if (!isSameStep) setStep((count) => count + 1);
      setChallenge(shown);
    } catch (error) {
      setTrouble(troubleOf(error));
    } finally {
      isUnderWay.current = false;
      if (!isLeaving) setBusy(false);
    }
  }, []);

  const refresh = useCallback(() => attempt(() => showChallenge(flow), null), [attempt, flow]);
  const answer = useCallback<Walk['answer']>(
    (values, { isPart } = { isPart: false }) =>
      attempt(() => sendAnswer(flow, { component: challenge?.component, ...values }), challenge, isPart),
    [attempt, flow, challenge],
  );

  useEffect(() => {
    void refresh();
    // A page that the browser kept for the way back shows a step that has been passed.
    const onReturn = (event: PageTransitionEvent) => event.persisted && void refresh();
    addEventListener('pageshow', onReturn);
    return () => removeEventListener('pageshow', onReturn);
  }, [refresh]);

  return { challenge, step, isBusy, trouble, hasRestarted, answer, refresh };
}

/** Leaves for where the server sends this browser; false when it does not. */
export function follow(challenge: Challenge): boolean {
  const to = challenge.component === redirectComponent ? safeAddress((challenge as Redirect).to) : null;
  if (to) {
    noteSignOut();
    location.assign(to);
  }
  return to !== null;
}

/** What ended the walk would be gone with the page. */
const staysAfterCaptcha: ReadonlySet<string> = new Set([captchaComponent, deniedComponent, faultComponent]);

/** The script of a captcha service goes with its page: it has no part in the steps after, where passwords may be typed. */
function leaveForeignScripts(before: Challenge | null, shown: Challenge): boolean {
  const isLeaving = before?.component === captchaComponent && !staysAfterCaptcha.has(shown.component);
  if (isLeaving) location.reload();
  return isLeaving;
}

function troubleOf(error: unknown): Trouble {
  if (error instanceof NetworkLost) {
    const text = `${error.message} Please check your connection and try again.`;
    return { text, requestId: '', isFinal: false };
  }
  if (!(error instanceof ApiProblem)) throw error;
  const { status, message, requestId } = error;
  if (status === 404)
    return { text: 'There is no such page here. The link may be wrong or out of date.', requestId, isFinal: true };
  return { text: message, requestId: status >= 500 ? requestId : '', isFinal: false };
}
