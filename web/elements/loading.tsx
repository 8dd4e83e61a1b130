import { t } from '../texts/texts.ts';
import './loading.css';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { apiFetch, apiRequest, errorMessage } from '../api/call.ts';
import type { Answered } from '../api/client.ts';
import { FaultBoundary } from '../page/fault-boundary.tsx';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

export type Answer<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly problem: unknown }
  | { readonly state: 'ready'; readonly value: T };

export interface Loadable<T> {
  readonly answer: Answer<T>;
  /** Loads again; the old value stays until the new one arrives. */
  reload(): Promise<void>;
}

/** The response of the API to a `GET`. */
export function useAnswer<T>(path: string): Loadable<T> {
  return useLoadable(useCallback(() => apiFetch<T>('GET', path), [path]));
}

/** The same with what the headers say: whether figures are estimates. */
export function useReply<T>(path: string): Loadable<Answered<T>> {
  return useLoadable(useCallback(() => apiRequest<T>('GET', path), [path]));
}

/** The result of a memoized function; another function loads again. */
export function useLoadable<T>(ask: () => Promise<T>): Loadable<T> {
  const [answer, setAnswer] = useState<Answer<T>>({ state: 'loading' });
  const wanted = useRef(ask);
  const latest = useRef(0);
  // Asks for what the page shows now, and drops answers that another question has overtaken.
  const reload = useCallback(async () => {
    latest.current += 1;
    const mine = latest.current;
    const found = await answerOf(wanted.current);
    if (mine === latest.current) setAnswer(found);
  }, []);
  useEffect(() => {
    wanted.current = ask;
    void reload();
    return () => {
      latest.current += 1;
    };
  }, [ask, reload]);
  return { answer, reload };
}

async function answerOf<T>(ask: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { state: 'ready', value: await ask() };
  } catch (problem) {
    return { state: 'failed', problem };
  }
}

export function Waiting() {
  return (
    <p className="waiting" role="status">
      <span className="spinner" aria-hidden="true" /> {t('Loading…')}
    </p>
  );
}

/** Rendered inside the boundary, not where that is. */
const Content = <T,>({ value, children }: { value: T; children(value: T): ReactNode }) => children(value);

/** Shows the loaded value, a spinner, or the error. */
export function Loaded<T>({ answer, reload, children }: Loadable<T> & { children(value: T): ReactNode }) {
  if (answer.state === 'ready')
    return (
      <FaultBoundary isPart>
        <Content value={answer.value}>{children}</Content>
      </FaultBoundary>
    );
  if (answer.state === 'loading') return <Waiting />;
  return (
    <Notice tone="bad">
      <div className="row">
        <p className="rows-text">{errorMessage(answer.problem)}</p>
        <Button onClick={reload}>{t('Try again')}</Button>
      </div>
    </Notice>
  );
}
