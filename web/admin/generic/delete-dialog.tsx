import { useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import { Button } from '../../elements/button.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { DialogButtons } from '../../elements/dialog-buttons.tsx';
import { type Loadable, Loaded } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useToast } from '../../elements/toast.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { t } from '../../texts/texts.ts';
import { goTo, hrefOf } from '../address.ts';
import { type ResourceEntry, useInterface } from '../api/interface.ts';
import { pathOfObject } from '../api/object.ts';
import { dropRecent } from '../frame/recent.ts';
import { inSentence } from '../labels.ts';
import { useDialog } from '../use-dialog.ts';
import { locksOut, TypedText } from './typed-text.tsx';
import { type FoundUses, Uses, useUses } from './used-by.tsx';

interface Props {
  readonly entry: ResourceEntry;
  readonly objectKey: string;
  readonly title: string;
  readonly hasUsedBy: boolean;
  readonly isSuperuser?: boolean;
}

const dialog = 'delete';

/** Opens the dialog, from a menu. */
export const deleteItem = () => ({ name: dialog, title: t('Delete…') });

/** Deletes an object, once it has been seen what goes with it. */
export function DeleteDialog(props: Props) {
  const { isOpen, close } = useDialog(dialog);
  const Content = props.hasUsedBy ? WithUses : Confirmation;
  return isOpen && <Content {...props} onClose={close} />;
}

type OpenProps = Props & { onClose(): void };

function WithUses(props: OpenProps) {
  return <Confirmation {...props} read={useUses(props.entry, props.objectKey)} />;
}

function Confirmation({
  entry,
  objectKey,
  title,
  isSuperuser,
  onClose,
  read,
}: OpenProps & { read?: Loadable<FoundUses> }) {
  const { user } = useInterface();
  const { isBusy, problem, attempt } = useAttempt();
  const [typed, setTyped] = useState('');
  const done = useToast();
  const uses = read?.answer.state === 'ready' ? read.answer.value.uses : [];
  const isTyped = locksOut(entry, uses, isSuperuser);
  const remove = () =>
    attempt(async () => {
      if (isTyped && typed.trim() !== title) throw new Error(t('Type “{text}” first.', { text: title }));
      const path = pathOfObject(entry, objectKey);
      await apiFetch('DELETE', path);
      dropRecent(user.pk, path);
      goTo(hrefOf(entry.path), { replace: true });
      done(t('{name} is deleted.', { name: title }));
    });
  return (
    <Dialog title={t('Delete {kind} {name}?', { kind: inSentence(entry.singular), name: title })} onClose={onClose}>
      {read ? <Consequences entry={entry} read={read} /> : <p>{t('This cannot be undone.')}</p>}
      {isTyped && <TypedText text={title} typed={typed} onType={setTyped} />}
      {problem && <Notice tone="bad">{problem}</Notice>}
      <DialogButtons onLeave={onClose}>
        <Button look="danger" isBusy={isBusy} onClick={remove}>
          {t('Delete')}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

const Consequences = ({ entry, read }: Pick<Props, 'entry'> & { read: Loadable<FoundUses> }) => (
  <Loaded {...read}>
    {(found) =>
      found.uses.length === 0 ? (
        <p>{t('Nothing uses it. This cannot be undone.')}</p>
      ) : (
        <>
          <p>{t('This cannot be undone, and it concerns other objects:')}</p>
          <div className="scrolled">
            <Uses entry={entry} {...found} />
          </div>
        </>
      )
    }
  </Loaded>
);
