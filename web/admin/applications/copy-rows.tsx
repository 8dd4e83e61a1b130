import { useState } from 'react';
import { Button } from '../../elements/button.tsx';
import { CopyButton } from '../../elements/copy-button.tsx';
import { t } from '../../texts/texts.ts';

interface CopyRow {
  readonly label: string;
  readonly text: string | undefined;
  /** Hidden by default. */
  readonly isSecret?: boolean;
}

/** Texts with copy buttons; missing ones are left out. */
export function CopyRows({ rows }: { rows: readonly CopyRow[] }) {
  return (
    <dl className="copy-rows">
      {rows.map(({ label, text, isSecret = false }) => text && <Row key={label} {...{ label, text, isSecret }} />)}
    </dl>
  );
}

function Row({ label, text, isSecret }: { label: string; text: string; isSecret: boolean }) {
  const [isShown, setShown] = useState(!isSecret);
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <code className="wrapped">{isShown ? text : '•'.repeat(12)}</code>
        <span className="row">
          {isSecret && (
            <Button look="quiet" onClick={() => setShown(!isShown)}>
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
