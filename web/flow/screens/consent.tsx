import type { ConsentChallenge } from '../../api/types.ts';
import { type Text, t } from '../../texts/texts.ts';
import './consent.css';
import { Button } from '../../elements/button.tsx';
import { Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';
import { Who } from '../who.tsx';

type Permission = ConsentChallenge['permissions'][number];

const question: Text = 'Do you agree?';

export function ConsentScreen({ challenge }: { challenge: ConsentChallenge }) {
  const { answer } = useWalkOfScreen();
  const { header_text, permissions, additional_permissions, token } = challenge;
  return (
    <Step
      challenge={challenge}
      title={t(question)}
      isGeneric
      intro={header_text === t(question) ? undefined : header_text}
      action={t('Agree and continue')}
      onSubmit={() => void answer({ token })}
      alternatives={<Button onClick={() => void answer({ token, refused: true })}>{t('Do not agree')}</Button>}
    >
      <Permissions title={t('It asks for')} permissions={permissions} />
      <Permissions
        title={permissions.length > 0 ? t('New since you last agreed') : t('It now also asks for')}
        permissions={additional_permissions}
      />
      <Who challenge={challenge} />
    </Step>
  );
}

function Permissions({ title, permissions }: { title: string; permissions: readonly Permission[] }) {
  const named = permissions.filter(({ name }) => name !== '');
  if (named.length === 0) return null;
  return (
    <section className="permissions">
      <h2>{title}</h2>
      <ul>
        {named.map(({ id, name }) => (
          <li key={id}>{name}</li>
        ))}
      </ul>
    </section>
  );
}
