import { TextField } from '../../elements/field.tsx';
import { Notice } from '../../elements/notice.tsx';
import { pageLanguage } from '../../texts/page-language.ts';
import { type Text, t } from '../../texts/texts.ts';
import { type Challenge, errorsOf } from '../challenge.ts';
import { withNext } from '../safe-address.ts';
import { Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';
import { AlreadyHere } from './already-here.tsx';
import { CurrentPassword } from './current-password.tsx';
import { type LoginSource, SourceButtons } from './source-buttons.tsx';
import { usePasskeyAutofill } from './use-passkey-autofill.ts';

export interface Identification extends Challenge {
  readonly user_fields: readonly string[] | null;
  readonly password_fields: boolean;
  readonly allow_show_password?: boolean;
  readonly application_pre?: string;
  readonly flow_designation?: string;
  readonly primary_action: string;
  readonly enroll_url?: string;
  readonly recovery_url?: string;
  readonly passwordless_url?: string;
  readonly sources?: readonly LoginSource[];
  readonly show_source_labels: boolean;
}

/** Identifies the person: by name, possibly with the password, or by an account elsewhere. */
export function IdentificationScreen({ challenge }: { challenge: Identification }) {
  const { answer, isPreview } = useWalkOfScreen();
  const { user_fields, password_fields, application_pre, sources = [] } = challenge;
  const [enrol, recovery, passwordless] = [
    challenge.enroll_url,
    challenge.recovery_url,
    challenge.passwordless_url,
  ].map(withNext);
  const names = user_fields ?? [];
  const hasForm = names.length > 0;
  const trouble = usePasskeyAutofill((!isPreview && hasForm && passwordless) || null);

  function submit(form: FormData): void {
    const uid_field = form.get('uid_field');
    void answer(password_fields ? { uid_field, password: form.get('password') } : { uid_field });
  }

  return (
    <Step
      challenge={challenge}
      title={t(challenge.flow_designation === 'recovery' ? 'Find your account' : 'Sign in')}
      intro={application_pre ? t('Sign in to continue to {application}.', { application: application_pre }) : undefined}
      fields={hasForm ? ['uid_field', 'password'] : []}
      action={hasForm ? challenge.primary_action : undefined}
      onSubmit={submit}
      alternatives={
        (passwordless || sources.length > 0) && (
          <SourceButtons
            sources={sources}
            hasLabels={challenge.show_source_labels}
            passwordless={passwordless ?? null}
            isAlternative={hasForm}
          />
        )
      }
      links={
        (enrol || recovery) && (
          <>
            {recovery && <a href={recovery}>{t('Forgot your password?')}</a>}
            {enrol && <a href={enrol}>{t('Create an account')}</a>}
          </>
        )
      }
    >
      <AlreadyHere />
      {trouble && <Notice tone="bad">{trouble}</Notice>}
      {hasForm && (
        <TextField
          label={labelOf(names)}
          name="uid_field"
          // OpenID Connect Core §3.1.2.1: the client may know whom to expect.
          defaultValue={new URLSearchParams(location.search).get('login_hint') ?? ''}
          autoComplete={passwordless ? 'username webauthn' : 'username'}
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          required
          {...(names.length === 1 && names[0] === 'email' && { type: 'email', inputMode: 'email' })}
          errors={errorsOf(challenge, 'uid_field')}
        />
      )}
      {hasForm && password_fields && <CurrentPassword challenge={challenge} />}
    </Step>
  );
}

const labels: Readonly<Record<string, Text>> = { username: 'username', email: 'email address', upn: 'UPN' };

/** “Username or email address”, in the order of the stage's settings. */
function labelOf(fields: readonly string[]): string {
  const names = fields.map((field) => (labels[field] ? t(labels[field]) : field));
  const text = new Intl.ListFormat(pageLanguage(), { type: 'disjunction' }).format(names);
  return text.charAt(0).toLocaleUpperCase(pageLanguage()) + text.slice(1);
}
