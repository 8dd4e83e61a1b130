import { useState } from 'react';
import { t } from '../texts/texts.ts';
import { Button } from './button.tsx';

/** Copies a text; left out where the browser does not let pages do that. */
export function CopyButton({ text, children = t('Copy') }: { text: string; children?: string }) {
  // Says nothing of another text.
  const [tried, setTried] = useState<{ text: string; state: 'done' | 'failed' } | null>(null);
  const state = tried?.text === text ? tried.state : 'idle';
  if (!navigator.clipboard) return null;
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setTried({ text, state: 'done' }),
      () => setTried({ text, state: 'failed' }),
    );
  return (
    <Button onClick={() => void copy()}>
      {state === 'idle' && children}
      {state === 'done' && t('Copied')}
      {state === 'failed' && t('Not copied')}
      <span className="visually-hidden" role="status">
        {state === 'done' ? t('The text has been copied.') : ''}
      </span>
    </Button>
  );
}
