import { useCallback, useState } from 'react';
import { apiFetch } from '../../api/call.ts';
import type { Application, Token } from '../../api/types.ts';
import { SelectField } from '../../elements/choice.tsx';
import { TextField } from '../../elements/field.tsx';
import { useLoadable } from '../../elements/loading.tsx';
import { latest, sentTime } from '../../elements/local-time.ts';
import { t } from '../../texts/texts.ts';
import { FormDialog } from '../form-dialog.tsx';
import { readAll } from '../listing.tsx';
import { tokensPath } from './token.ts';

const choices = () => [
  { value: 'app_password', label: t('App password') },
  { value: 'api', label: t('API token') },
];

const applicationsPath = '/core/applications/?only_with_launch_url=false';

/** Creates a token. The server sets the lifetime of API tokens; app passwords may expire sooner. */
export function NewToken({ onMade }: { onMade(token: Token): Promise<void> }) {
  const [intent, setIntent] = useState('app_password');
  const { answer } = useLoadable(useCallback(() => readAll<Application>(applicationsPath), []));
  const applications = answer.state === 'ready' ? answer.value : [];

  async function make(form: FormData): Promise<void> {
    const expires = String(form.get('expires') ?? '');
    const body = {
      identifier: form.get('identifier'),
      intent,
      description: form.get('description'),
      ...(expires && { expires: sentTime(expires) }),
      ...(intent === 'app_password' && { application: form.get('application') || null }),
    };
    await onMade(await apiFetch<Token>('POST', tokensPath, body));
  }

  return (
    <FormDialog opener={t('New token')} look="primary" title={t('New token')} submit={t('Create')} onSubmit={make}>
      {(complaints) => (
        <>
          <SelectField
            label={t('Kind')}
            choices={choices()}
            value={intent}
            onChange={(event) => setIntent(event.target.value)}
            errors={complaints.intent}
          />
          <TextField
            name="identifier"
            label={t('Identifier')}
            hint={t('Letters, digits, hyphens and underscores.')}
            required
            maxLength={255}
            autoComplete="off"
            spellCheck={false}
            errors={complaints.identifier}
          />
          <TextField
            name="description"
            label={t('Description')}
            hint={t('What it is for. Optional.')}
            autoComplete="off"
            errors={complaints.description}
          />
          {intent === 'app_password' && applications.length > 0 && (
            <SelectField
              name="application"
              label={t('Application')}
              hint={t('An app password of one application opens no other, and does not sign you in here.')}
              choices={[
                { value: '', label: t('All applications') },
                ...applications.map(({ pk, name }) => ({ value: pk, label: name })),
              ]}
              errors={complaints.application}
            />
          )}
          {intent === 'app_password' && (
            <TextField
              name="expires"
              type="datetime-local"
              max={latest}
              label={t('Expires')}
              hint={t('Optional; without it, it lasts as long as the server allows.')}
              errors={complaints.expires}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}
