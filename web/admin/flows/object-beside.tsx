import { useMemo } from 'react';
import { Loaded } from '../../elements/loading.tsx';
import { t } from '../../texts/texts.ts';
import type { Description } from '../api/description.ts';
import type { Member } from '../api/document.ts';
import { type ResourceEntry, useEntry } from '../api/interface.ts';
import { pathOfObject, useObject, type WholeObject } from '../api/object.ts';
import type { Row } from '../api/objects.ts';
import { useDescription } from '../api/use-description.ts';
import { initialValues } from '../generic/body.ts';
import { ObjectForm } from '../generic/object-form.tsx';
import { Uploads } from '../generic/uploads.tsx';

interface Props {
  /** The resource's path, and the key of the object; a new one without a key. */
  readonly path: string;
  readonly objectKey?: string;
  readonly name: string;
  readonly submit: string;
  /** Which members it has; by default all. */
  readonly isShown?: (member: Member) => boolean;
  onSaved(row: Row): void;
  onCancel?(): void;
}

/** The form of an object beside the flow it belongs to. */
export function ObjectBeside(props: Props) {
  const entry = useEntry(props.path);
  const isOld = entry !== undefined && props.objectKey !== undefined;
  const description = useDescription(props.path, isOld ? pathOfObject(entry, props.objectKey) : undefined);
  if (!entry) return <p className="quiet">{t('You do not have permission to view this.')}</p>;
  return (
    <Loaded {...description}>
      {(known) =>
        props.objectKey === undefined ? (
          <NewForm {...props} description={known} />
        ) : (
          <Existing {...props} entry={entry} objectKey={props.objectKey} description={known} />
        )
      }
    </Loaded>
  );
}

const everything = () => true;

function NewForm({ path, name, submit, isShown = everything, onSaved, onCancel, description }: Known) {
  const members = useMemo(() => (description.creating ?? []).filter(isShown), [description, isShown]);
  const initial = useMemo(() => initialValues(members, null), [members]);
  return (
    <ObjectForm
      {...{ members, initial, path, submit, onSaved }}
      {...(onCancel && { onCancel })}
      method="POST"
      what={name}
    />
  );
}

interface Known extends Props {
  readonly description: Description;
}

interface Read extends Known {
  readonly entry: ResourceEntry;
  readonly objectKey: string;
}

function Existing(props: Read) {
  const { entry, objectKey, description } = props;
  const read = useObject(entry, objectKey, description);
  return (
    <Loaded {...read}>
      {(object) => (
        <>
          <EditForm key={objectKey} {...props} object={object} reload={read.reload} />
          <Uploads objectKey={objectKey} uploads={description.uploads} onDone={read.reload} />
        </>
      )}
    </Loaded>
  );
}

interface EditProps extends Read {
  readonly object: WholeObject;
  reload(): Promise<void>;
}

function EditForm({ entry, objectKey, description, object, name, submit, ...props }: EditProps) {
  const { isShown = everything, onSaved, onCancel, reload } = props;
  const members = useMemo(() => (description.changing ?? []).filter(isShown), [description, isShown]);
  const initial = useMemo(() => initialValues(members, object.row), [members, object.row]);
  return (
    <ObjectForm
      {...{ members, initial, submit }}
      {...(onCancel && { onCancel })}
      method="PATCH"
      path={pathOfObject(entry, objectKey)}
      etag={object.etag}
      names={object.names}
      what={name}
      onConflict={reload}
      onSaved={async (row) => {
        await reload();
        onSaved(row);
      }}
    />
  );
}
