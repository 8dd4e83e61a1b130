import { definePolicy } from '../../../policy/policy.family.ts';
import { boolean, integer } from '../../../resource/fields/scalar.ts';

/** Refuses passwords older than a number of days, or forces users to change them. */
export const passwordExpiryPolicy = definePolicy({
  path: '/policies/password_expiry/',
  model: 'svc_policies_expiry.passwordexpirypolicy',
  schema: 'PasswordExpiryPolicy',
  names: ['Password Expiry Policy', 'Password Expiry Policies'],
  component: 'xak-policy-password-expiry-form',
  description: 'Refuses passwords that are older than a number of days, or has them changed.',
  table: 'policy_password_expiry',
  fields: {
    days: integer({ filter: true, help: 'After so many days a password has expired.' }),
    deny_only: boolean({
      default: false,
      filter: true,
      help: 'Only refuse access; otherwise the password is made unusable.',
    }),
  },
});
