import { type FormEvent, useState } from 'react';
import { callAsPerson, wordsOf } from '../../api/call.ts';
import { useDone } from '../../elements/announcing.tsx';
import { Button } from '../../elements/button.tsx';
import { TextField } from '../../elements/field.tsx';
import { t } from '../../texts/texts.ts';
import type { Upload } from '../api/description.ts';
import type { ResourceEntry } from '../api/interface.ts';
import { pathOfObject } from '../api/object.ts';

interface Props {
  readonly entry: ResourceEntry;
  readonly objectKey: string;
  onDone(): Promise<void>;
}

/** The files that belong to an object, each sent by itself. */
export function Uploads({ uploads, ...rest }: Props & { uploads: readonly Upload[] }) {
  return uploads.map((upload) => <UploadForm key={upload.name} {...rest} upload={upload} />);
}

function UploadForm({ entry, objectKey, upload, onDone }: Props & { upload: Upload }) {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const done = useDone();
  async function send(form: FormData): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      await callAsPerson('POST', `${pathOfObject(entry, objectKey)}${upload.name}/`, form);
      await onDone();
      done(t('The file is stored.'));
    } catch (caught) {
      setProblem(wordsOf(caught));
    } finally {
      setBusy(false);
    }
  }
  function clear(): void {
    const form = new FormData();
    form.set('clear', 'true');
    void send(form);
  }
  return (
    <form
      className="card stack upload"
      onSubmit={(event: FormEvent<HTMLFormElement>) => {
        event.preventDefault();
        void send(new FormData(event.currentTarget));
      }}
    >
      <TextField
        label={upload.summary}
        type="file"
        name="file"
        accept="image/*"
        required
        errors={problem ? [problem] : []}
      />
      <div className="row">
        <Button type="submit" isBusy={isBusy}>
          {t('Upload')}
        </Button>
        <Button look="quiet" onClick={clear}>
          {t('Remove what is stored')}
        </Button>
      </div>
    </form>
  );
}
