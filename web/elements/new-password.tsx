import { type Text, t } from '../texts/texts.ts';
import './new-password.css';
import { type ComponentProps, type CSSProperties, useEffect, useId, useState } from 'react';
import { PasswordField } from './field.tsx';
import { type PasswordRule, PasswordRules } from './password-rules.tsx';

type Props = ComponentProps<typeof PasswordField> & { readonly rules?: readonly PasswordRule[] | undefined };

/** A new password with its rules and a strength meter. */
export function NewPasswordField({ rules = [], ...props }: Props) {
  const [typed, setTyped] = useState('');
  const score = useScore(typed);
  const rulesId = useId();
  const hasRules = rules.length > 0;
  return (
    <div className="new-password">
      <PasswordField
        {...props}
        autoComplete="new-password"
        describedBy={hasRules ? rulesId : undefined}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      {hasRules && <PasswordRules id={rulesId} rules={rules} typed={typed} />}
      {score !== null && <Strength score={score} />}
    </div>
  );
}

const words: readonly Text[] = ['Very easy to guess', 'Easy to guess', 'Still easy to guess', 'Good', 'Strong'];

function Strength({ score }: { score: number }) {
  const style: CSSProperties & { '--score': number } = { '--score': Math.max(score, 0.3) };
  return (
    <div className="strength small" data-is-good={score > 2 || undefined} style={style}>
      <div className="strength-bar" aria-hidden="true">
        <span />
      </div>
      <span role="status">{t('Password strength: {words}', { words: t(words[score] ?? 'Good') })}</span>
    </div>
  );
}

/** Longer texts are estimated by their beginning, as on the server. */
const longest = 128;
const pauseMs = 150;

/** From 0 (weak) to 4 (strong); null while empty or while the estimator loads. */
function useScore(typed: string): number | null {
  const [score, setScore] = useState<number | null>(null);
  useEffect(() => {
    if (typed === '') return setScore(null);
    let isCurrent = true;
    const timer = setTimeout(async () => {
      // Without it there is no meter; the server decides anyway.
      const estimator = await import('./strength.ts').catch(() => null);
      if (estimator && isCurrent) setScore(estimator.strengthOf(typed.slice(0, longest)));
    }, pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [typed]);
  return score;
}
