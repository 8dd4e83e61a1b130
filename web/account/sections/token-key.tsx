import { useState } from 'react';
import { Button } from '../../elements/button.tsx';
import { Notice } from '../../elements/notice.tsx';

export interface ShownKey {
  readonly identifier: string;
  readonly secret: string;
}

/** The key of a token, until it is put away. */
export function TokenKey({ identifier, secret, onClose }: ShownKey & { onClose(): void }) {
  const [copied, setCopied] = useState<'copied' | 'refused' | null>(null);

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(secret);
      setCopied('copied');
    } catch {
      // Browsers refuse it without TLS; the key can still be marked and copied by hand.
      setCopied('refused');
    }
  }

  return (
    <Notice tone="good">
      <div className="stack">
        <p>
          The key of <strong>{identifier}</strong>. Copy it now and keep it like a password.
        </p>
        <code className="token-key">{secret}</code>
        <div className="row">
          <Button onClick={copy}>{copied === 'copied' ? 'Copied' : 'Copy'}</Button>
          <Button look="quiet" onClick={onClose}>
            Put away
          </Button>
          {copied === 'refused' && <span className="small">Please mark it and copy it yourself.</span>}
        </div>
      </div>
    </Notice>
  );
}
