import { useCallback, useMemo } from 'react';
import { apiRequest } from '../../api/call.ts';
import type { ServerSettings as StoredSettings } from '../../api/types.ts';
import { Loaded, useLoadable } from '../../elements/loading.tsx';
import { Notice } from '../../elements/notice.tsx';
import { useToast } from '../../elements/toast.tsx';
import { t } from '../../texts/texts.ts';
import type { Description } from '../api/description.ts';
import type { Member } from '../api/document.ts';
import { useInterface } from '../api/interface.ts';
import type { Row } from '../api/objects.ts';
import { useDescription } from '../api/use-description.ts';
import { initialValues } from '../generic/body.ts';
import { Facts } from '../generic/facts.tsx';
import { ObjectForm } from '../generic/object-form.tsx';
import { SendTestMail } from '../start/send-test-mail.tsx';

const path = '/admin/server_settings/';

/** The public address and the mail server. What environment variables set is locked. */
export function ServerSettings() {
  const description = useDescription(path);
  return <Loaded {...description}>{(known) => <Read description={known} />}</Loaded>;
}

function Read({ description: { changing, shown } }: { description: Description }) {
  const { user } = useInterface();
  const read = useLoadable(useCallback(() => apiRequest<StoredSettings & Row>('GET', path), []));
  const facts = shown.filter(({ name }) => changing?.some((member) => member.name === name));
  return (
    <Loaded {...read}>
      {({ value, etag }) =>
        user.is_superuser ? (
          <Form row={value} etag={etag} changing={changing ?? []} reload={read.reload} />
        ) : (
          <section className="card stack" aria-label={t('Address and mail')}>
            <Facts row={value} members={facts} names={() => undefined} />
          </section>
        )
      }
    </Loaded>
  );
}

interface FormProps {
  readonly row: StoredSettings & Row;
  readonly etag: string;
  readonly changing: readonly Member[];
  reload(): Promise<void>;
}

function Form({ row, etag, changing, reload }: FormProps) {
  const showToast = useToast();
  const isLocked = ({ name }: Member) => row.locked.includes(name === 'public_url' ? name : 'mail');
  const members = changing.filter((member) => !(member.name === 'smtp_password' && isLocked(member)));
  const initial = useMemo(() => ({ ...initialValues(changing, row), smtp_password: '' }), [changing, row]);
  const waits = row.public_url !== '' && row.public_url !== row.public_url_in_use;
  return (
    <div className="stack">
      {waits && (
        <Notice tone="warn">
          {t('This server still uses {address}. Restart it to use the new address.', {
            address: row.public_url_in_use,
          })}
        </Notice>
      )}
      <ObjectForm
        {...{ members, initial, path, etag }}
        method="PATCH"
        what={t('the settings')}
        submit={t('Save')}
        whyLocked={(member) =>
          isLocked(member) ? t('Set by an environment variable of the server, which wins.') : null
        }
        onConflict={reload}
        onSaved={async () => {
          await reload();
          showToast(t('The settings are saved.'));
        }}
      />
      {(row.smtp_host !== '' || row.locked.includes('mail')) && (
        <div className="row">
          <SendTestMail />
        </div>
      )}
    </div>
  );
}
