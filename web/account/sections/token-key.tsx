import { Rich } from '../../texts/rich.tsx';
import { t } from '../../texts/texts.ts';
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
          <Rich
            text="The key of <b>{identifier}</b>. Copy it now and keep it like a password."
            values={{ identifier: <bdi>{identifier}</bdi>, b: (parts) => <strong>{parts}</strong> }}
          />
        </p>
        <code className="token-key" dir="ltr">
          {secret}
        </code>
        <div className="row">
          <CopyButton text={secret} />
          <Button look="quiet" onClick={onClose}>
            {t('Hide the key')}
          </Button>
        </div>
      </div>
    </Notice>
  );
}
