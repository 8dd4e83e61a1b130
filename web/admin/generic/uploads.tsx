import { type FormEvent, useState } from 'react';
import { callAsPerson, wordsOf } from '../../api/call.ts';
import { useDone } from '../../elements/announcing.tsx';
import { Button } from '../../elements/button.tsx';
import { TextField } from '../../elements/field.tsx';
import { t } from '../../texts/texts.ts';
import type { Upload } from '../api/description.ts';

interface Props {
  readonly objectKey: string;
  onDone(): Promise<void>;
}

/** The files that belong to an object, each sent by itself. */
export function Uploads({ uploads, ...rest }: Props & { uploads: readonly Upload[] }) {
  return uploads.map((upload) => <UploadForm key={upload.path} {...rest} upload={upload} />);
}

function UploadForm({ objectKey, upload, onDone }: Props & { upload: Upload }) {
  const [problem, setProblem] = useState<string | null>(null);
  const [addressProblem, setAddressProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const done = useDone();
  const at = (path: string) => path.replace('{key}', encodeURIComponent(objectKey));
  async function send(path: string, body: unknown, tell: (problem: string | null) => void): Promise<void> {
    setBusy(true);
    setProblem(null);
    setAddressProblem(null);
    try {
      await callAsPerson('POST', at(path), body);
      await onDone();
      done(t('The file is stored.'));
    } catch (caught) {
      tell(wordsOf(caught));
    } finally {
      setBusy(false);
    }
  }
  function clear(): void {
    const form = new FormData();
    form.set('clear', 'true');
    void send(upload.path, form, setProblem);
  }
  return (
    <div className="card stack upload">
      <form
        className="stack"
        onSubmit={(event: FormEvent<HTMLFormElement>) => {
          event.preventDefault();
          void send(upload.path, new FormData(event.currentTarget), setProblem);
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
      {upload.addressPath && (
        <form
          className="stack"
          noValidate
          onSubmit={(event: FormEvent<HTMLFormElement>) => {
            event.preventDefault();
            const url = new FormData(event.currentTarget).get('url');
            void send(upload.addressPath ?? '', { url }, setAddressProblem);
          }}
        >
          <TextField
            label={t('Or its address')}
            hint={t('An address, or a path on this server.')}
            type="url"
            name="url"
            errors={addressProblem ? [addressProblem] : []}
          />
          <div className="row">
            <Button type="submit" isBusy={isBusy}>
              {t('Use this address')}
            </Button>
          </div>
        </form>
      )}
    </div>
  );
}
