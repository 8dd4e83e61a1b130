import { Suspense, useState } from 'react';
import { Button } from '../elements/button.tsx';
import { Notice } from '../elements/notice.tsx';
import { t } from '../texts/texts.ts';
import { flowAddress } from './executor.ts';
import { Frame } from './frame.tsx';
import { screenOf } from './screens.ts';
import { useWalk, type Walk } from './use-walk.ts';
import { WalkContext } from './walk-context.ts';

export function FlowPage() {
  const [flow] = useState(() => flowAddress(location));
  const walk = useWalk(flow);
  return (
    <WalkContext value={walk}>
      <Frame flow={walk.challenge?.flow_info ?? null}>
        <Suspense fallback={<Waiting />}>
          <CurrentScreen walk={walk} />
        </Suspense>
      </Frame>
    </WalkContext>
  );
}

function CurrentScreen({ walk }: { walk: Walk }) {
  const { challenge, trouble, isBusy, refresh } = walk;
  if (challenge) {
    const Screen = screenOf(challenge.component);
    return <Screen challenge={challenge} key={walk.step} />;
  }
  if (!trouble) return <Waiting />;
  return (
    <div className="stack">
      <h1>{trouble.isFinal ? t('Not found') : t('This did not work')}</h1>
      <Notice tone="bad">{trouble.text}</Notice>
      {trouble.requestId && <p className="small quiet">{t('Request {id}', { id: trouble.requestId })}</p>}
      {!trouble.isFinal && (
        <Button look="primary" isBusy={isBusy} onClick={() => void refresh()}>
          {t('Try again')}
        </Button>
      )}
      <a href="/">{t('Go to the start page')}</a>
    </div>
  );
}

function Waiting() {
  return (
    <div className="waiting" role="status">
      <span className="spinner" aria-hidden="true" />
      <span className="visually-hidden">{t('One moment…')}</span>
    </div>
  );
}
