import { expect, test } from 'vitest';
import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import { createSandbox } from '../../../platform/sandbox/sandbox.ts';
import { scopeClaims } from './claims.ts';

const user = { username: 'ada', groups: [] } as unknown as UserFacts;
const settings = { pk: 1, name: 'p', client_id: 'c' };
const claimsOf = (...expressions: string[]) =>
  scopeClaims(
    createSandbox(),
    expressions.map((expression, index) => ({ name: `m${index}`, scope_name: `s${index}`, expression })),
    user,
    settings,
  ).value;

test.each(['return {};', '// The scope that brings a refresh token.\nreturn {};', '// one\n  // two\n\nreturn {}\n'])(
  'a scope that brings nothing adds nothing, and is still told to the others: %j',
  (nothing) => {
    expect(claimsOf(nothing)).toEqual({});
    expect(claimsOf(nothing, 'return { name: request.user.username, scopes };')).toEqual({
      name: 'ada',
      scopes: ['s0', 's1'],
    });
  },
);

test.each([
  ['// return {};\nreturn { a: 1 };', { a: 1 }],
  ['// a comment ends here\rreturn { a: 1 };\nreturn {};', { a: 1 }],
  ['// and here\u2028return { a: 1 };\nreturn {};', { a: 1 }],
  ['return { a: 1 }; // no more\nreturn {};', { a: 1 }],
])('what only looks like nothing is evaluated: %j', (expression, claims) => {
  expect(claimsOf(expression)).toEqual(claims);
});
