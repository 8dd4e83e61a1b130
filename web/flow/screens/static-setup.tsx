import type { AuthenticatorStaticChallenge } from '../../api/types.ts';
import { t } from '../../texts/texts.ts';
import './setup.css';
import { CopyButton } from '../../elements/copy-button.tsx';
import { Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';
import { Who } from '../who.tsx';

export function StaticSetupScreen({ challenge }: { challenge: AuthenticatorStaticChallenge }) {
  const { answer } = useWalkOfScreen();
  const { codes } = challenge;
  return (
    <Step
      challenge={challenge}
      title={t('Your recovery codes')}
      intro={t(
        'Each of these codes can be used once, if you have no other device. Store them in a safe place: they are not shown again.',
      )}
      action={t('I have saved them')}
      onSubmit={() => void answer({})}
    >
      <Who challenge={challenge} />
      <ul className="setup-codes" aria-label={t('Codes')}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="row">
        <CopyButton text={codes.join('\n')}>{t('Copy all')}</CopyButton>
        <a className="button" href={`data:text/plain,${encodeURIComponent(codes.join('\n'))}`} download="codes.txt">
          {t('Download')}
        </a>
      </div>
    </Step>
  );
}
