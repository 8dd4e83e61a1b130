import { Button } from '../../elements/button.tsx';
import { CodeField } from '../../elements/field.tsx';
import { type Text, t } from '../../texts/texts.ts';
import { errorsOf } from '../challenge.ts';
import { Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';
import { Who } from '../who.tsx';
import { deviceClasses, type ValidateProps } from './device-classes.ts';
import { OtherWay } from './other-way.tsx';

const intros: Readonly<Record<string, Text>> = {
  totp: 'Enter the code that your authenticator app shows.',
  static: 'Enter one of your recovery codes.',
  sms: 'Enter the code that was sent to your phone.',
};

export function ValidateCode({ challenge, device, onOther }: ValidateProps) {
  const { answer } = useWalkOfScreen();
  const isCalled = deviceClasses[device.device_class]?.isCalled === true;
  const isStatic = device.device_class === 'static';
  return (
    <Step
      challenge={challenge}
      title={t('Is it you?')}
      intro={t(intros[device.device_class] ?? 'Enter the code.')}
      fields={['code']}
      action={t('Continue')}
      onSubmit={(form) =>
        void answer({ selected_challenge: device, code: String(form.get('code')).replaceAll(' ', '') })
      }
      links={
        <>
          {isCalled && (
            <Button look="quiet" onClick={() => void answer({ selected_challenge: device }, { isPart: true })}>
              {t('Send another code')}
            </Button>
          )}
          <OtherWay onOther={onOther} />
        </>
      }
    >
      <Who challenge={challenge} />
      <CodeField
        label={t('Code')}
        name="code"
        isNumeric={!isStatic}
        autoComplete={isStatic ? 'off' : 'one-time-code'}
        required
        errors={errorsOf(challenge, 'code')}
      />
    </Step>
  );
}
