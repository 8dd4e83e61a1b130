import { useCallback, useMemo } from 'react';
import { requestAsPerson } from '../../api/call.ts';
import { useDone } from '../../elements/announcing.tsx';
import { Loaded, useLoadable } from '../../elements/loading.tsx';
import { t } from '../../texts/texts.ts';
import type { Description } from '../api/description.ts';
import type { Row } from '../api/objects.ts';
import { useDescription } from '../api/use-description.ts';
import { initialValues } from '../generic/body.ts';
import { ObjectForm } from '../generic/object-form.tsx';
import { Page } from '../page.tsx';

const path = '/admin/settings/';

/** The settings of the server. */
export function Settings() {
  return (
    <Page title={t('Settings')} intro={t('What holds for the whole server.')}>
      <AllSettings />
    </Page>
  );
}

export function AllSettings() {
  const description = useDescription(path);
  return <Loaded {...description}>{(known) => <SettingsForm description={known} />}</Loaded>;
}

function SettingsForm({ description: { changing } }: { description: Description }) {
  const read = useLoadable(useCallback(() => requestAsPerson<Row>('GET', path), []));
  return (
    <Loaded {...read}>{({ value }) => <Form row={value} changing={changing ?? []} reload={read.reload} />}</Loaded>
  );
}

interface FormProps {
  readonly row: Row;
  readonly changing: NonNullable<Description['changing']>;
  reload(): Promise<void>;
}

function Form({ row, changing, reload }: FormProps) {
  const done = useDone();
  const initial = useMemo(() => initialValues(changing, row), [changing, row]);
  return (
    <ObjectForm
      key={JSON.stringify(row)}
      members={changing}
      initial={initial}
      method="PATCH"
      path={path}
      what={t('the settings')}
      submit={t('Save')}
      onSaved={async () => {
        await reload();
        done(t('The settings are saved.'));
      }}
    />
  );
}
