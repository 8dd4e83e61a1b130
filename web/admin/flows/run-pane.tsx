import { type MouseEvent, Suspense, useCallback, useMemo } from 'react';
import type { ChallengeTypes } from '../../api/types.ts';
import { Waiting } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { redirectComponent } from '../../flow/challenge.ts';
import { screenOf } from '../../flow/screens.ts';
import { useWalk } from '../../flow/use-walk.ts';
import { WalkContext } from '../../flow/walk-context.ts';
import { t } from '../../texts/texts.ts';
import { Inspector } from './inspector.tsx';

interface Props {
  readonly slug: string;
  /** Called when the flow leads elsewhere, with the address. */
  onEnd(to: string): void;
}

/**
 * The flow as people see it, by the same screens, and the inspector beside it. The pages of flows cannot be framed,
 * here neither: that protects them against clickjacking.
 */
export function RunPane({ slug, onEnd }: Props) {
  const flow = useMemo(() => ({ slug, query: '' }), [slug]);
  const leave = useCallback(
    (challenge: ChallengeTypes) => {
      if (challenge.component !== redirectComponent) return false;
      onEnd(challenge.to);
      return true;
    },
    [onEnd],
  );
  const walk = useWalk(flow, leave);
  const { challenge, trouble, step } = walk;
  const Screen = challenge && screenOf(challenge.component);

  /** A link would leave this page, unless it is a download. */
  function stay(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || link.hasAttribute('download')) return;
    event.preventDefault();
    onEnd(link.href);
  }
  return (
    <div className="run">
      <div className="card run-screen" onClickCapture={stay}>
        <WalkContext value={walk}>
          <Suspense fallback={<Waiting />}>
            {Screen && <Screen challenge={challenge} key={step} />}
            {!Screen && trouble && <Notice tone="bad">{trouble.text}</Notice>}
            {!Screen && !trouble && <Waiting />}
          </Suspense>
        </WalkContext>
      </div>
      <section className="card stack" aria-label={t('Inspector')}>
        <h2>{t('Inspector')}</h2>
        <Inspector slug={slug} challenge={challenge} />
      </section>
    </div>
  );
}
