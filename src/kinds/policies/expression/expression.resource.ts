import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { definePolicy } from '../../../policy/policy.family.ts';
import { expression } from '../../../resource/fields/expression.ts';

export function expressionPolicy({ sandbox }: { readonly sandbox: Sandbox }) {
  return definePolicy({
    path: '/policies/expression/',
    model: 'svc_policies_expression.expressionpolicy',
    schema: 'ExpressionPolicy',
    names: ['Expression Policy', 'Expression Policies'],
    component: 'xak-policy-expression-form',
    description: 'Passes if an expression returns true: the body of a JavaScript function.',
    table: 'policy_expression',
    fields: {
      expression: expression(sandbox.check, {
        filter: true,
        help: 'The body of a function that returns whether access is allowed.',
      }),
    },
  });
}
