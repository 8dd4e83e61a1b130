import { definePolicy } from '../../../policy/policy.family.ts';
import { boolean, integer } from '../../../resource/fields/scalar.ts';
import { text } from '../../../resource/fields/text.ts';

const amount = (help: string, fallback = 0) => integer({ min: 0, default: fallback, filter: true, help });

/** Checks the quality of a new password. */
export const passwordPolicy = definePolicy({
  path: '/policies/password/',
  model: 'svc_policies_password.passwordpolicy',
  schema: 'PasswordPolicy',
  names: ['Password Policy', 'Password Policies'],
  component: 'xak-policy-password-form',
  description: 'Passes when a new password is long, varied, hard to guess or unknown to lists of stolen ones.',
  table: 'policy_password',
  fields: {
    password_field: text({ default: 'password', filter: true, help: 'The prompt that the password was typed into.' }),
    amount_digits: amount('How many digits a password needs at least.'),
    amount_uppercase: amount('How many upper-case letters a password needs at least.'),
    amount_lowercase: amount('How many lower-case letters a password needs at least.'),
    amount_symbols: amount('How many symbols a password needs at least.'),
    length_min: amount('How many characters a password needs at least.'),
    symbol_charset: text({
      default: '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~ ',
      trim: false,
      filter: true,
      help: 'Which characters count as symbols.',
    }),
    error_message: text({
      blank: true,
      default: '',
      filter: true,
      help: 'The message if a password does not meet the rules.',
    }),
    check_static_rules: boolean({
      default: true,
      filter: true,
      help: 'Apply the rules on length and kinds of characters.',
    }),
    check_have_i_been_pwned: boolean({
      default: false,
      filter: true,
      help: 'Checks a public list of stolen passwords, sending it five digits of a hash only. If the list cannot be reached, the failure result of the binding applies.',
    }),
    check_zxcvbn: boolean({
      default: false,
      filter: true,
      help: 'Estimate how long guessing the password would take.',
    }),
    hibp_allowed_count: amount('The number of known leaks in which a password may have appeared.'),
    zxcvbn_score_threshold: integer({
      min: 0,
      default: 2,
      filter: true,
      help: 'Scores from 0 to this one are refused; 4 is the best.',
    }),
  },
});
