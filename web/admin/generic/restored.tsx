import { Button } from '../../elements/button.tsx';
import { Notice } from '../../elements/notice.tsx';
import { t } from '../../texts/texts.ts';

/** Says that a form shows what was typed on an earlier visit. */
export function Restored({ onDiscard }: { onDiscard(): void }) {
  return (
    <Notice tone="plain">
      <div className="row">
        <p>{t('These are your unsaved changes from before.')}</p>
        <Button look="quiet" onClick={onDiscard}>
          {t('Discard them')}
        </Button>
      </div>
    </Notice>
  );
}
