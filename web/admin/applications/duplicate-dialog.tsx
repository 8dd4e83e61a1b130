import { type FormEvent, useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import { ApiProblem } from '../../api/client.ts';
import type { Application } from '../../api/types.ts';
import { Button } from '../../elements/button.tsx';
import { Dialog } from '../../elements/dialog.tsx';
import { DialogButtons } from '../../elements/dialog-buttons.tsx';
import { TextField } from '../../elements/field.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useToast } from '../../elements/toast.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
import { t } from '../../texts/texts.ts';
import { goTo, hrefOf } from '../address.ts';
import { useDialog } from '../use-dialog.ts';

const dialog = 'duplicate';

export const duplicateItem = () => ({ name: dialog, title: t('Duplicate…') });

/** Makes a second application like this one. */
export function DuplicateDialog({ application }: { application: Application }) {
  const { isOpen, close } = useDialog(dialog);
  return isOpen && <Open application={application} onClose={close} />;
}

const maxSlug = 50;
const ending = '-copy';

function Open({ application, onClose }: { application: Application; onClose(): void }) {
  const [name, setName] = useState(() =>
    t('{name} (copy)', { name: application.name }).replaceAll(/[\u2068\u2069]/g, ''),
  );
  const [slug, setSlug] = useState(() => `${application.slug.slice(0, maxSlug - ending.length)}${ending}`);
  const [complaints, setComplaints] = useState<ApiProblem['fields']>({});
  const { isBusy, problem, attempt } = useAttempt();
  const done = useToast();
  function duplicate(event: FormEvent): void {
    event.preventDefault();
    setComplaints({});
    void attempt(async () => {
      const path = `/core/applications/${encodeURIComponent(application.slug)}/duplicate/`;
      const copy = await apiFetch<Application>('POST', path, { name, slug }).catch((refusal) => {
        if (refusal instanceof ApiProblem) setComplaints(refusal.fields);
        throw refusal;
      });
      goTo(hrefOf(`/core/applications/${copy.slug}/`, { tab: copy.provider === null ? undefined : 'sign-in' }), {
        replace: true,
      });
      done(t('{name} is created.', { name }));
    });
  }
  return (
    <Dialog title={t('Duplicate {name}', { name: application.name })} onClose={onClose}>
      <form className="stack" noValidate onSubmit={duplicate}>
        <p>{t('The copy has the same settings and the same access. It gets a client ID and a secret of its own.')}</p>
        <TextField
          label={t('Name')}
          value={name}
          errors={complaints.name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <TextField
          label={t('Slug')}
          value={slug}
          errors={complaints.slug}
          spellCheck={false}
          autoCapitalize="none"
          onChange={({ currentTarget }) => setSlug(currentTarget.value)}
        />
        {problem && !complaints.name && !complaints.slug && <Notice tone="bad">{problem}</Notice>}
        <DialogButtons onLeave={onClose}>
          <Button type="submit" look="primary" isBusy={isBusy}>
            {t('Duplicate')}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
