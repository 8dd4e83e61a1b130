import { expect, test } from 'vitest';
import { openMembersRead } from './reach.ts';

test.each([
  ['return !context.auth_method;', ['auth_method']],
  ['return context?.is_sso || context.is_sso === context.is_restored;', ['is_sso', 'is_restored']],
  ["return context.auth_method?.startsWith('auth');", ['auth_method']],
  ['return true;', []],
])('%s reads open members only', (source, members) => {
  expect(openMembersRead(source)).toEqual(members);
});

test.each([
  'return context.prompt_data.username;',
  'return context.pending_user_identifier;',
  'return context.auth_method && context.prompt_data;',
  'const { auth_method } = context; return auth_method;',
  "return context['prompt_data'];",
  'return Object.keys(context);',
  'const all = context; return all.auth_method;',
  'return request.context.auth_method;',
  'return other.context.auth_method;',
  'return user.is_superuser;',
  'return is_sso;',
  'return context.is_sso && user;',
  'return client_ip;',
  'return settings.default_user_change_name;',
  'return globalThis.context;',
  'return cont\\u0065xt.prompt_data;',
  'return context\n.prompt_data;',
  'return mycontext.auth_method;',
  "create_event('x'); return true;",
  'return context /* the */ .prompt_data;',
])('%s may read more', (source) => {
  expect(openMembersRead(source)).toBeNull();
});
