import './copy-rows.css';
import { useState } from 'react';
import { Button } from '../../elements/button.tsx';
import { CopyButton } from '../../elements/copy-button.tsx';
import { t } from '../../texts/texts.ts';

interface CopyRow {
  readonly label: string;
  readonly text: string | undefined;
  /** Hidden by default. */
  readonly isSecret?: boolean;
  onShow?(isShown: boolean): void;
}

/** Stands for a secret. */
export const hiddenText = '•'.repeat(12);

/** Texts with copy buttons; missing ones are left out. */
export function CopyRows({ rows }: { rows: readonly CopyRow[] }) {
  return (
    <dl className="copy-rows">
      {rows.map(({ text, ...row }) => text && <Row key={`${row.label} ${text}`} {...row} text={text} />)}
    </dl>
  );
}

function Row({ label, text, isSecret = false, onShow }: CopyRow & { readonly text: string }) {
  const [isShown, setShown] = useState(!isSecret);
  function toggle(): void {
    setShown(!isShown);
    onShow?.(!isShown);
  }
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <code className="wrapped">{isShown ? text : hiddenText}</code>
        <span className="row">
          {isSecret && (
            <Button look="quiet" onClick={toggle}>
              {t(isShown ? 'Hide' : 'Show')}
              <span className="visually-hidden"> {label}</span>
            </Button>
          )}
          <CopyButton text={text} />
        </span>
      </dd>
    </div>
  );
}
