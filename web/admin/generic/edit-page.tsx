import { useMemo } from 'react';
import { Loaded } from '../../elements/loading.tsx';
import { useToast } from '../../elements/toast.tsx';
import { t } from '../../texts/texts.ts';
import { goTo, hrefOf } from '../address.ts';
import type { Description } from '../api/description.ts';
import { pathOfObject, useObject, type WholeObject } from '../api/object.ts';
import { useDescription } from '../api/use-description.ts';
import { Page } from '../page.tsx';
import { NotFound } from '../pages/not-found.tsx';
import { isMissing } from '../parts/unread.tsx';
import type { ResourcePage } from '../resource-page.ts';
import { initialValues } from './body.ts';
import { ObjectForm } from './object-form.tsx';
import { Uploads } from './uploads.tsx';
import { useCrumbs } from './use-crumbs.ts';

/** Changes an object. */
export function EditPage({ entry, objectKey, SidePanel }: ResourcePage) {
  const description = useDescription(entry.path, pathOfObject(entry, objectKey));
  const crumbs = useCrumbs(entry, true);
  const own = { text: objectKey, href: hrefOf(pathOfObject(entry, objectKey)) };
  if (description.answer.state === 'ready')
    return <Edit {...{ entry, objectKey, SidePanel }} description={description.answer.value} />;
  return (
    <Page title={t('Edit')} crumbs={[...crumbs, own]}>
      <Loaded {...description}>{() => null}</Loaded>
    </Page>
  );
}

interface EditProps extends ResourcePage {
  readonly description: Description;
}

function Edit({ entry, objectKey, SidePanel, description }: EditProps) {
  const read = useObject(entry, objectKey, description);
  const crumbsOfKind = useCrumbs(entry, true);
  if (isMissing(read)) return <NotFound />;
  const object = read.answer.state === 'ready' ? read.answer.value : null;
  const name = object?.name ?? objectKey;
  const crumbs = [...crumbsOfKind, { text: name, href: hrefOf(pathOfObject(entry, objectKey)) }];
  return (
    <Page title={t('Edit {name}', { name })} intro={entry.singular} crumbs={crumbs}>
      <Loaded {...read}>
        {(found) => (
          <>
            <EditForm
              key={objectKey}
              {...{ entry, objectKey, SidePanel, description, name }}
              object={found}
              reload={read.reload}
            />
            <Uploads objectKey={objectKey} uploads={description.uploads} onDone={read.reload} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface FormProps extends EditProps {
  readonly object: WholeObject;
  readonly name: string;
  reload(): Promise<void>;
}

function EditForm({ entry, objectKey, SidePanel, description, object, name, reload }: FormProps) {
  const done = useToast();
  const { changing } = description;
  const initial = useMemo(() => initialValues(changing ?? [], object.row), [changing, object.row]);
  const path = pathOfObject(entry, objectKey);
  if (!changing || !object.may.includes('change'))
    return <p>{object.why ?? t('You do not have permission to change this.')}</p>;
  return (
    <ObjectForm
      members={changing}
      initial={initial}
      method="PATCH"
      path={path}
      etag={object.etag}
      names={object.names}
      fixed={object.fixed}
      what={name}
      submit={t('Save')}
      SidePanel={SidePanel}
      onConflict={reload}
      onCancel={() => goTo(hrefOf(path))}
      onSaved={(row) => {
        goTo(hrefOf(pathOfObject(entry, String(row[description.key] ?? objectKey))));
        done(t('{name} is saved.', { name }));
      }}
    />
  );
}
