import type { PromptChallenge } from '../api/types.ts';
import { t } from '../texts/texts.ts';
import './flow-form.css';
import { type FormEvent, useCallback, useState } from 'react';
import { Button } from '../elements/button.tsx';
import { Loaded, useLoadable } from '../elements/loading.tsx';
import { Notice } from '../elements/notice.tsx';
import { useAttempt } from '../elements/use-attempt.ts';
import { type Challenge, otherErrors, redirectComponent } from '../flow/challenge.ts';
import { sendAnswer, showChallenge } from '../flow/executor.ts';
import { CurrentPassword } from '../flow/screens/current-password.tsx';
import { PromptField } from '../flow/screens/prompt-field.tsx';
import { readPrompts } from '../flow/screens/read-prompts.ts';
import { usePerson } from './person.ts';

interface Props {
  readonly slug: string;
  /** Where the flow's own page returns to. */
  readonly returnTo: string;
  readonly submit: string;
  /** Called when the flow has ended. */
  onEnd(): Promise<void>;
}

const isPrompt = (challenge: Challenge): challenge is PromptChallenge => challenge.component === 'xak-stage-prompt';
const isPassword = ({ component }: Challenge): boolean => component === 'xak-stage-password';

const answerOf = async (challenge: Challenge, form: FormData): Promise<Record<string, unknown>> =>
  isPrompt(challenge) ? readPrompts(challenge.fields, form) : { password: form.get('password') };

/** Tells password managers whose password it is. */
function WhoseForm() {
  return <input type="text" autoComplete="username" value={usePerson().username} readOnly hidden />;
}

/** Runs a flow of password and prompt stages in place. Other flows open their own page. */
export function FlowForm({ slug, returnTo, submit, onEnd }: Props) {
  const query = `next=${encodeURIComponent(returnTo)}`;
  const first = useLoadable(useCallback(() => showChallenge({ slug, query }), [slug, query]));
  const [complained, setComplained] = useState<Challenge | null>(null);
  // Fields show the values at the start of each walk.
  const [walk, setWalk] = useState(0);
  const { isBusy, problem, attempt } = useAttempt();

  function send(event: FormEvent<HTMLFormElement>, challenge: Challenge): void {
    event.preventDefault();
    void attempt(async () => {
      const { component } = challenge;
      const answer = await answerOf(challenge, new FormData(event.currentTarget));
      const reply = await sendAnswer({ slug, query }, { component, ...answer });
      if (reply.component !== redirectComponent) return setComplained(reply);
      await first.reload();
      setComplained(null);
      setWalk(walk + 1);
      await onEnd();
    });
  }

  return (
    <Loaded {...first}>
      {(first) => {
        const challenge = complained ?? first;
        const fields = isPrompt(challenge) ? challenge.fields : [];
        if (!isPrompt(challenge) && !isPassword(challenge))
          return (
            <p>
              <a className="button button-primary" href={`/if/flow/${encodeURIComponent(slug)}/?${query}`}>
                {t('Continue')}
              </a>
            </p>
          );
        return (
          <form
            className="card stack flow-form"
            key={`${walk} ${challenge.component}`}
            onSubmit={(event) => send(event, challenge)}
          >
            {(isPassword(challenge) || fields.some(({ type }) => type === 'password')) && <WhoseForm />}
            {isPassword(challenge) && <CurrentPassword challenge={challenge} label={t('Current password')} />}
            {isPrompt(challenge) &&
              fields.map((prompt) => <PromptField key={prompt.field_key} prompt={prompt} challenge={challenge} />)}
            {otherErrors(
              challenge,
              isPassword(challenge) ? ['password'] : fields.map(({ field_key }) => field_key),
            ).map((text) => (
              <Notice tone="bad" key={text}>
                {text}
              </Notice>
            ))}
            {problem && <Notice tone="bad">{problem}</Notice>}
            <div className="row">
              <Button type="submit" look="primary" isBusy={isBusy}>
                {isPassword(challenge) ? t('Continue') : submit}
              </Button>
            </div>
          </form>
        );
      }}
    </Loaded>
  );
}
