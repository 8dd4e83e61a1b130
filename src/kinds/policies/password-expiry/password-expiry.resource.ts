import { definePolicy } from '../../../policy/policy.family.ts';
import { boolean, integer } from '../../../resource/fields/scalar.ts';

/** Refuses passwords older than a number of days, or forces users to change them. */
export const passwordExpiryPolicy = definePolicy({
  path: '/policies/password_expiry/',
  model: 'svc_policies_expiry.passwordexpirypolicy',
  schema: 'PasswordExpiryPolicy',
  names: ['Password Expiry Policy', 'Password Expiry Policies'],
  component: 'xak-policy-password-expiry-form',
  description: 'Denies access with a password older than a number of days, or requires a new one.',
  table: 'policy_password_expiry',
  fields: {
    days: integer({ filter: true, help: 'A password expires after this number of days.' }),
    deny_only: boolean({
      default: false,
      filter: true,
      help: 'Only refuse access; otherwise the password is made unusable.',
    }),
  },
});
