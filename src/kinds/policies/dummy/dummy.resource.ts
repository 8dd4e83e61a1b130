import { definePolicy } from '../../../policy/policy.family.ts';
import { boolean, integer } from '../../../resource/fields/scalar.ts';

/** For testing bindings. */
export const dummyPolicy = definePolicy({
  path: '/policies/dummy/',
  model: 'svc_policies_dummy.dummypolicy',
  schema: 'DummyPolicy',
  names: ['Dummy Policy', 'Dummy Policies'],
  component: 'xak-policy-dummy-form',
  description: 'Returns a fixed result after a delay. For trying out bindings and timeouts.',
  table: 'policy_dummy',
  fields: {
    result: boolean({ default: false, filter: true, help: 'What the policy decides.' }),
    wait_min: integer({ default: 5, filter: true, help: 'The shortest wait, in seconds.' }),
    wait_max: integer({ default: 30, filter: true, help: 'The longest wait, in seconds.' }),
  },
});
