import './token-key.css';
import { Button } from '../../elements/button.tsx';
import { CopyButton } from '../../elements/copy-button.tsx';
import { Notice } from '../../elements/notice.tsx';

export interface ShownKey {
  readonly identifier: string;
  readonly secret: string;
}

/** A token's key, until it is dismissed. */
export function TokenKey({ identifier, secret, onClose }: ShownKey & { onClose(): void }) {
  return (
    <Notice tone="good">
      <div className="stack">
        <p>
          The key of <strong>{identifier}</strong>. Copy it now and keep it like a password.
        </p>
        <code className="token-key">{secret}</code>
        <div className="row">
          <CopyButton text={secret} />
          <Button look="quiet" onClick={onClose}>
            Put away
          </Button>
        </div>
      </div>
    </Notice>
  );
}
