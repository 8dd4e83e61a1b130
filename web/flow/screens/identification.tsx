import { useState } from 'react';
import type { IdentificationChallenge } from '../../api/types.ts';
import { TextField } from '../../elements/field.tsx';
import { Notice } from '../../elements/notice.tsx';
import { pageLanguage } from '../../texts/page-language.ts';
import { type Text, t } from '../../texts/texts.ts';
import { errorsOf } from '../challenge.ts';
import { noteTypedName } from '../known-user.ts';
import { pageFacts } from '../page-facts.ts';
import { safeAddress, withNext } from '../safe-address.ts';
import { Step } from '../step.tsx';
import { useWalkOfScreen } from '../walk-context.ts';
import { AlreadyHere } from './already-here.tsx';
import { ContinueAs } from './continue-as.tsx';
import { CurrentPassword } from './current-password.tsx';
import { SourceButtons } from './source-buttons.tsx';
import { usePasskeyAutofill } from './use-passkey-autofill.ts';

/** Identifies the person: by name, possibly with the password, or by an account elsewhere. */
export function IdentificationScreen({ challenge }: { challenge: IdentificationChallenge }) {
  const { answer, isPreview } = useWalkOfScreen();
  const { user_fields, password_fields, application_pre, sources = [], flow_designation, flow_info } = challenge;
  const [enrol, recovery, passwordless] = [
    challenge.enroll_url,
    challenge.recovery_url,
    challenge.passwordless_url,
  ].map(withNext);
  const names = user_fields ?? [];
  const hasForm = names.length > 0;
  const trouble = usePasskeyAutofill((!isPreview && hasForm && passwordless) || null);

  // OpenID Connect Core §3.1.2.1: the client may know whom to expect.
  const [uid, setUid] = useState(() => new URLSearchParams(location.search).get('login_hint') ?? '');
  const isSignIn = flow_designation === 'authentication';
  const title = isSignIn && application_pre ? t('Sign in to {application}', { application: application_pre }) : '';
  const plainTitle = t(flow_designation === 'recovery' ? 'Find your account' : 'Sign in');

  function submit(form: FormData): void {
    const uid_field = String(form.get('uid_field'));
    if (isSignIn) noteTypedName(uid_field);
    void answer(password_fields ? { uid_field, password: form.get('password') } : { uid_field });
  }

  return (
    <Step
      challenge={challenge}
      title={title || plainTitle}
      intro={title || flow_info?.title === plainTitle ? undefined : flow_info?.title}
      icon={title && <ApplicationIcon name={application_pre ?? ''} address={challenge.application_icon} />}
      isEdge={isSignIn}
      fields={hasForm ? ['uid_field', 'password'] : []}
      action={hasForm ? actionOf(challenge) : undefined}
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
      {hasForm && isSignIn && !isPreview && !pageFacts().signedInAs && uid === '' && (
        <ContinueAs
          onContinue={(known) => {
            if (password_fields) setUid(known);
            else {
              noteTypedName(known);
              void answer({ uid_field: known });
            }
          }}
        />
      )}
      {trouble && <Notice tone="bad">{trouble}</Notice>}
      {hasForm && (
        <TextField
          label={labelOf(names)}
          name="uid_field"
          // Another name from outside replaces what the field holds.
          key={uid}
          defaultValue={uid}
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

/** The application's icon, or its first letter. */
/** With the password on the page it is the last step as a rule. */
const actionOf = ({ flow_designation, password_fields, primary_action }: IdentificationChallenge): string =>
  flow_designation === 'authentication' && password_fields ? t('Sign in') : primary_action;

function ApplicationIcon({ name, address }: { name: string; address: string | undefined }) {
  const [isMissing, setMissing] = useState(false);
  const icon = safeAddress(address);
  if (!icon || isMissing)
    return (
      <span className="step-icon" aria-hidden="true">
        {name.trim().charAt(0).toLocaleUpperCase(pageLanguage())}
      </span>
    );
  return <img className="step-icon" src={icon} alt="" width="40" height="40" onError={() => setMissing(true)} />;
}

const labels: Readonly<Record<string, Text>> = { username: 'username', email: 'email address', upn: 'UPN' };

/** “Username or email address”, in the order of the stage's settings. */
function labelOf(fields: readonly string[]): string {
  const names = fields.map((field) => (labels[field] ? t(labels[field]) : field));
  const text = new Intl.ListFormat(pageLanguage(), { type: 'disjunction' }).format(names);
  return text.charAt(0).toLocaleUpperCase(pageLanguage()) + text.slice(1);
}
