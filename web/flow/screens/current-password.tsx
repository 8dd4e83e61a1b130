import { PasswordField } from '../../elements/field.tsx';
import { t } from '../../texts/texts.ts';
import { type Challenge, errorsOf } from '../challenge.ts';

/** The current password, on its own screen or together with the name. */
export function CurrentPassword({
  challenge,
  label = t('Password'),
}: {
  challenge: Challenge & { readonly allow_show_password?: boolean };
  label?: string;
}) {
  return (
    <PasswordField
      label={label}
      name="password"
      autoComplete="current-password"
      required
      canShow={challenge.allow_show_password === true}
      errors={errorsOf(challenge, 'password')}
    />
  );
}
