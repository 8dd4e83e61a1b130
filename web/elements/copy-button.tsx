import { useState } from 'react';
import { t } from '../texts/texts.ts';
import { Button } from './button.tsx';

/** Copies a text; left out where the browser does not let pages do that. */
export function CopyButton({ text, children = t('Copy') }: { text: string; children?: string }) {
  const [state, setState] = useState<'idle' | 'done' | 'failed'>('idle');
  if (!navigator.clipboard) return null;
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState('done'),
      () => setState('failed'),
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
