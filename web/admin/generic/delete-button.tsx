import { useState } from 'react';
import { callAsPerson, wordsOf } from '../../api/call.ts';
import { useDone } from '../../elements/announcing.tsx';
import { Button } from '../../elements/button.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { Loaded } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { t } from '../../texts/texts.ts';
import { goTo, hrefOf } from '../address.ts';
import type { ResourceEntry } from '../api/interface.ts';
import { pathOfObject } from '../api/object.ts';
import { useDialog } from '../use-dialog.ts';
import { inSentence } from '../words.ts';
import { Uses, useUses } from './used-by.tsx';

interface Props {
  readonly entry: ResourceEntry;
  readonly objectKey: string;
  readonly title: string;
  readonly hasUsedBy: boolean;
}

/** Deletes an object, once it has been seen what goes with it. */
export function DeleteButton(props: Props) {
  const { isOpen, open, close } = useDialog('delete');
  return (
    <>
      <Button onClick={open}>{t('Delete…')}</Button>
      {isOpen && <Confirmation {...props} onClose={close} />}
    </>
  );
}

function Confirmation({ entry, objectKey, title, hasUsedBy, onClose }: Props & { onClose(): void }) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const done = useDone();
  async function remove(): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      await callAsPerson('DELETE', pathOfObject(entry, objectKey));
      goTo(hrefOf(entry.path), { replace: true });
      done(t('{name} is deleted.', { name: title }));
    } catch (caught) {
      setProblem(wordsOf(caught));
      setBusy(false);
    }
  }
  return (
    <Dialog title={t('Delete {kind} {name}?', { kind: inSentence(entry.singular), name: title })} onClose={onClose}>
      {hasUsedBy ? <Consequences entry={entry} objectKey={objectKey} /> : <p>{t('This cannot be undone.')}</p>}
      {problem && <Notice tone="bad">{problem}</Notice>}
      <div className="row">
        {/* The first button gets the focus, so it must not be the destructive one. */}
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button look="danger" isBusy={isBusy} onClick={remove}>
          {t('Delete')}
        </Button>
      </div>
    </Dialog>
  );
}

function Consequences({ entry, objectKey }: Pick<Props, 'entry' | 'objectKey'>) {
  return (
    <Loaded {...useUses(entry, objectKey)}>
      {(found) =>
        found.uses.length === 0 ? (
          <p>{t('Nothing uses it. This cannot be undone.')}</p>
        ) : (
          <>
            <p>{t('This cannot be undone, and it concerns other objects:')}</p>
            <div className="scrolled">
              <Uses {...found} />
            </div>
          </>
        )
      }
    </Loaded>
  );
}
