import './step.css';
import { type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { Button } from '../elements/button.tsx';
import { Notice } from '../elements/notice.tsx';
import { type Text, t } from '../texts/texts.ts';
import { type Challenge, leadsBack, otherErrors } from './challenge.ts';
import { pageFacts } from './page-facts.ts';
import { withNext } from './safe-address.ts';
import { useWalkOfScreen } from './walk-context.ts';

interface Props {
  readonly challenge: Challenge;
  /** A one-line explanation. */
  readonly intro?: string | undefined;
  /** The heading of this step. */
  readonly title: string;
  /** Whether the heading is the flow's title, because this step does not say what the flow is for. */
  readonly isGeneric?: boolean;
  /** Whether this is the first or the last step, which has no way back. */
  readonly isEdge?: boolean;
  /** Beside the heading, such as the icon of an application. */
  readonly icon?: ReactNode;
  /** Members whose errors the screen shows beside their fields. */
  readonly fields?: readonly string[];
  /** The label of the submit button; without it the screen has its own. */
  readonly action?: string | undefined;
  onSubmit?(form: FormData): void;
  readonly children?: ReactNode;
  /** Alternatives to the submit button. */
  readonly alternatives?: ReactNode;
  /** Whether there is something to read before anything can be filled in. */
  readonly startsAtHeading?: boolean;
  /** Links below the form. */
  readonly links?: ReactNode;
}

/** The common parts of all screens: heading, errors, the form with its button, and focus. */
export function Step(props: Props) {
  const { challenge, intro, title, fields = [], action, onSubmit, startsAtHeading = false } = props;
  const flowTitle = (props.isGeneric && challenge.flow_info?.title) || '';
  const back = props.isEdge || leadsBack(challenge) ? undefined : backLinks[pageFacts().designation ?? ''];
  const { isBusy, trouble, hasRestarted } = useWalkOfScreen();
  const headingId = useId();
  const place = useRef<HTMLFormElement>(null);
  useEffect(() => focusStep(place.current, challenge, startsAtHeading), [challenge, startsAtHeading]);

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    if (!isBusy) onSubmit?.(new FormData(event.currentTarget));
  }

  return (
    <form className="stack" ref={place} onSubmit={submit} aria-labelledby={headingId} aria-busy={isBusy}>
      <header className="step-header">
        {props.icon}
        <h1 id={headingId} tabIndex={-1}>
          <bdi>{flowTitle || title}</bdi>
        </h1>
        {flowTitle && flowTitle !== title && <h2 className="step-title">{title}</h2>}
        {intro && <p className="quiet">{intro}</p>}
      </header>
      {hasRestarted && <Notice tone="warn">{t('That took too long. Please start again.')}</Notice>}
      {otherErrors(challenge, fields).map((text) => (
        <Notice tone="bad" key={text}>
          {text}
        </Notice>
      ))}
      {trouble && (
        <Notice tone="bad">
          {trouble.text}
          {trouble.requestId && <span className="small"> {t('Request {id}', { id: trouble.requestId })}</span>}
        </Notice>
      )}
      {props.children}
      {action && (
        <Button type="submit" look="primary" isBusy={isBusy}>
          {action}
        </Button>
      )}
      {props.alternatives}
      {(props.links || back || leadsBack(challenge)) && (
        <nav className="step-links">
          {props.links || (leadsBack(challenge) && <CancelLink challenge={challenge}>{t('Cancel')}</CancelLink>)}
          {back && <CancelLink challenge={challenge}>{t(back)}</CancelLink>}
        </nav>
      )}
    </form>
  );
}

/** The way back to the first step of signing in, by the designation of the flow. */
const backLinks: Readonly<Record<string, Text>> = {
  authentication: 'Sign in another way',
  recovery: 'Back to sign-in',
  enrollment: 'Back to sign-in',
};

/** Focuses the first invalid field, else the first field, else the heading. */
function focusStep(form: HTMLFormElement | null, { response_errors }: Challenge, startsAtHeading: boolean): void {
  if (!form) return;
  const wrong = response_errors && form.querySelector<HTMLElement>('[aria-invalid=true]');
  if (wrong instanceof HTMLInputElement && wrong.type !== 'checkbox') wrong.select();
  const field = '[data-first], input:not([type=hidden], [readonly], [tabindex="-1"]), select, textarea:not([readonly])';
  const first = wrong ?? (startsAtHeading ? null : form.querySelector<HTMLElement>(field));
  if (first) first.focus();
  else form.querySelector('h1')?.focus({ preventScroll: true });
}

/** Leaves the flow and starts over, or goes back. */
export function CancelLink({ challenge, children }: { challenge: Challenge; children: ReactNode }) {
  const address = withNext(challenge.flow_info?.cancel_url) ?? '/';
  return <a href={address}>{leadsBack(challenge) ? t('Cancel') : children}</a>;
}
