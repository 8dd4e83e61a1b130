import type { FormEvent } from 'react';
import { apiFetch } from '../../api/call.ts';
import { Button } from '../../elements/button.tsx';
import { TextField } from '../../elements/field.tsx';
import { useToast } from '../../elements/toast.tsx';
import { useAttempt } from '../../elements/use-attempt.ts';
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
  const file = useAttempt();
  const address = useAttempt();
  const done = useToast();
  const at = (path: string) => path.replace('{key}', encodeURIComponent(objectKey));
  async function send(path: string, body: unknown): Promise<void> {
    await apiFetch('POST', at(path), body);
    await onDone();
    done(t('The file is stored.'));
  }
  function clear(): void {
    const form = new FormData();
    form.set('clear', 'true');
    void file.attempt(() => send(upload.path, form));
  }
  return (
    <div className="card stack upload">
      <form
        className="stack"
        onSubmit={(event: FormEvent<HTMLFormElement>) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          void file.attempt(() => send(upload.path, form));
        }}
      >
        <TextField
          label={upload.summary}
          type="file"
          name="file"
          accept="image/*"
          required
          errors={file.problem ? [file.problem] : []}
        />
        <div className="row">
          <Button type="submit" isBusy={file.isBusy}>
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
            void address.attempt(() => send(upload.addressPath ?? '', { url }));
          }}
        >
          <TextField
            label={t('Or its address')}
            hint={t('An address, or a path on this server.')}
            type="url"
            name="url"
            errors={address.problem ? [address.problem] : []}
          />
          <div className="row">
            <Button type="submit" isBusy={address.isBusy}>
              {t('Use this address')}
            </Button>
          </div>
        </form>
      )}
    </div>
  );
}
