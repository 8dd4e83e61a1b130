import { definePolicy } from '../../../policy/policy.family.ts';
import { boolean, integer } from '../../../resource/fields/scalar.ts';

/** Detects sign-in attempts by users or addresses with a bad reputation. */
export const reputationPolicy = definePolicy({
  path: '/policies/reputation/',
  model: 'svc_policies_reputation.reputationpolicy',
  schema: 'ReputationPolicy',
  names: ['Reputation Policy', 'Reputation Policies'],
  component: 'xak-policy-reputation-form',
  description: 'Passes when the reputation of the address or of the username has fallen to a threshold or below it.',
  table: 'policy_reputation',
  search: ['name', 'threshold'],
  fields: {
    check_ip: boolean({
      default: true,
      filter: true,
      help: 'Check the reputation of the network that the request comes from.',
    }),
    check_username: boolean({
      default: true,
      filter: true,
      help: 'Check the reputation of the username that was entered.',
    }),
    threshold: integer({
      default: -5,
      filter: true,
      help: 'Passes when the score is at or below this number, which is usually negative.',
    }),
  },
  check: ({ values }) =>
    values.check_ip || values.check_username ? null : { non_field_errors: ['Either IP or Username must be checked'] },
});
