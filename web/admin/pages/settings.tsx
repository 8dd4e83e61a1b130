import { useCallback, useMemo } from 'react';
import { apiRequest } from '../../api/call.ts';
import { Loaded, useLoadable } from '../../elements/loading.tsx';
import { useToast } from '../../elements/toast.tsx';
import { t } from '../../texts/texts.ts';
import { useAddress } from '../address.ts';
import type { Description } from '../api/description.ts';
import { useInterface } from '../api/interface.ts';
import type { Row } from '../api/objects.ts';
import { useDescription } from '../api/use-description.ts';
import { initialValues } from '../generic/body.ts';
import { Facts } from '../generic/facts.tsx';
import { ObjectForm } from '../generic/object-form.tsx';
import { Tabs } from '../generic/tabs.tsx';
import { Page } from '../page.tsx';
import { NotFound } from './not-found.tsx';
import { ServerSettings } from './server-settings.tsx';

const path = '/admin/settings/';

/** The settings of the server. */
export function Settings() {
  const { query } = useAddress();
  if (!useInterface().system_permissions.includes('view_system_settings')) return <NotFound />;
  const current = query.get('tab') === 'server' ? 'server' : 'general';
  const tabs = [
    { name: 'general', title: t('General') },
    { name: 'server', title: t('Address and mail') },
  ];
  return (
    <Page title={t('Settings')} intro={t('Settings of the whole server.')}>
      <Tabs tabs={tabs} current={current} />
      {current === 'server' ? <ServerSettings /> : <AllSettings />}
    </Page>
  );
}

export function AllSettings() {
  const description = useDescription(path);
  return <Loaded {...description}>{(known) => <SettingsForm description={known} />}</Loaded>;
}

function SettingsForm({ description: { changing, shown } }: { description: Description }) {
  const mayChange = useInterface().system_permissions.includes('edit_system_settings');
  const read = useLoadable(useCallback(() => apiRequest<Row>('GET', path), []));
  return (
    <Loaded {...read}>
      {({ value, etag }) =>
        mayChange ? (
          <Form row={value} etag={etag} changing={changing ?? []} reload={read.reload} />
        ) : (
          <section className="card stack" aria-label={t('Settings')}>
            <Facts row={value} members={shown} names={() => undefined} />
          </section>
        )
      }
    </Loaded>
  );
}

interface FormProps {
  readonly row: Row;
  readonly etag: string;
  readonly changing: NonNullable<Description['changing']>;
  reload(): Promise<void>;
}

function Form({ row, etag, changing, reload }: FormProps) {
  const done = useToast();
  const initial = useMemo(() => initialValues(changing, row), [changing, row]);
  return (
    <ObjectForm
      members={changing}
      initial={initial}
      method="PATCH"
      path={path}
      etag={etag}
      what={t('the settings')}
      submit={t('Save')}
      onConflict={reload}
      onSaved={async () => {
        await reload();
        done(t('The settings are saved.'));
      }}
    />
  );
}
