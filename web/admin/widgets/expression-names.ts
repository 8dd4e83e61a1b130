import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { type Text, t } from '../../texts/texts.ts';

const user = [
  ...['pk', 'uuid', 'username', 'name', 'email', 'type', 'path', 'is_active', 'is_superuser', 'attributes'],
  ...['last_login', 'date_joined', 'password_change_date', 'has_password', 'groups'],
];
const http = ['method', 'path', 'host', 'user_agent', 'client_ip', 'request_id'];
const context = [
  ...['pending_user', 'pending_user_identifier', 'prompt_data', 'auth_method', 'auth_method_args', 'is_sso'],
  ...['source', 'mfa_devices', 'event'],
];

/** The members of what expressions know (docs/expressions.md). */
const members: Readonly<Record<string, readonly string[]>> = {
  user,
  context,
  http_request: http,
  request: ['user', 'context', 'http_request', 'obj'],
  geoip: ['continent', 'country', 'lat', 'long', 'city'],
  asn: ['asn', 'as_org', 'network'],
  settings: ['default_user_change_name', 'default_user_change_email', 'default_user_change_username'],
  'request.user': user,
  'request.context': context,
  'request.http_request': http,
};

const functions: Readonly<Record<string, Text>> = {
  message: '(text): show the person a message',
  log: '(…): write to the log of a test',
  is_group_member: '(user, group): whether a user is in a group',
  ip_in: '(address, ranges): whether an address is in a range',
  regex_match: '(text, pattern): whether the text matches from its start',
  regex_replace: '(text, pattern, replacement)',
  list_flatten: '(list): the first element of a list',
  slugify: '(text): the text as a URL slug',
  create_event: '(name, context): write an event (policies only)',
};

const variables: readonly Completion[] = [
  ...['user', 'context', 'http_request', 'client_ip', 'geoip', 'asn', 'is_sso', 'brand', 'settings', 'request'],
  ...['provider', 'scopes', 'prompt_context', 'group'],
].map((label) => ({ label, type: 'variable' }));

const names = (): Completion[] => [
  ...variables,
  ...Object.entries(functions).map(([label, detail]) => ({ label, detail: t(detail), type: 'function' })),
  ...['return', 'const', 'if', 'else'].map((label) => ({ label, type: 'keyword' })),
];

/** Completes what expressions know: names, and members after a dot. */
export function completeExpression(context: CompletionContext): CompletionResult | null {
  const path = context.matchBefore(/[\w.]*\.\w*/);
  if (path) {
    const at = path.text.lastIndexOf('.');
    const found = members[path.text.slice(0, at)];
    return found
      ? { from: path.from + at + 1, options: found.map((label) => ({ label, type: 'property' })), validFor: /^\w*$/ }
      : null;
  }
  const word = context.matchBefore(/\w+/);
  if (!word && !context.explicit) return null;
  return { from: word?.from ?? context.pos, options: names(), validFor: /^\w*$/ };
}
