import { type Loaded, rareWord } from './load.ts';
import type { BenchRequest } from './recipe.ts';

/** One line of the table: which requests are sent, by whom, and the target. */
export interface BenchRow {
  readonly title: string;
  /** The operation that must exist for this to be measured. */
  readonly operation: string;
  readonly caller: 'administrator' | 'delegate' | 'nobody';
  /** Share of the floor's requests per second; null: no target. */
  readonly target: number | null;
  /** Lists also have a target for p99, and their statements are counted. */
  readonly isList: boolean;
  readonly requests: (data: Loaded) => BenchRequest[];
  /** The objects that are gone once a request has been made for them. */
  readonly targets?: (data: Loaded) => readonly number[];
}

const api = '/api/v3';
const pages = [1, 2, 3, 4, 5];
const get = (path: string): BenchRequest => ({ method: 'GET', path: `${api}${path}` });
const paged = (path: string, filter: string) => pages.map((page) => get(`${path}?${filter}&page_size=20&page=${page}`));

interface Line extends Pick<BenchRow, 'title' | 'operation' | 'requests' | 'targets'> {
  readonly caller?: BenchRow['caller'];
  readonly target?: number | null;
}

const read = (line: Line): BenchRow => ({ caller: 'administrator', target: 0.5, isList: false, ...line });
const list = (line: Line): BenchRow => ({ ...read(line), isList: true });

export const signInFlow = 'default-authentication-flow';

/** In this order: what writes comes last, so that it does not change what the lists find. */
export const benchRows: readonly BenchRow[] = [
  read({
    title: 'authentication alone (`OPTIONS`, no body)',
    operation: 'events_rules_list',
    target: null,
    requests: () => [{ method: 'OPTIONS', path: `${api}/events/rules/` }],
  }),
  read({
    title: 'retrieve a rule, its group with 5 members',
    operation: 'events_rules_retrieve',
    requests: ({ quietRules }) => quietRules.map((pk) => get(`/events/rules/${pk}/`)),
  }),
  read({
    title: 'retrieve a rule by a caller who is not a superuser',
    operation: 'events_rules_retrieve',
    caller: 'delegate',
    requests: ({ quietRules }) => quietRules.map((pk) => get(`/events/rules/${pk}/`)),
  }),
  read({
    title: 'retrieve a password expiry policy',
    operation: 'policies_password_expiry_retrieve',
    requests: ({ passwordExpiryPolicies }) =>
      passwordExpiryPolicies.map((pk) => get(`/policies/password_expiry/${pk}/`)),
  }),
  read({
    title: 'retrieve a user',
    operation: 'core_users_retrieve',
    requests: ({ users }) => users.map((pk) => get(`/core/users/${pk}/`)),
  }),
  read({
    title: 'first challenge of the sign-in flow, without a cookie',
    operation: 'flows_executor_get',
    caller: 'nobody',
    target: 0.4,
    requests: () => [get(`/flows/executor/${signInFlow}/?query=`)],
  }),
  list({
    title: 'access tokens of one provider, with provider and user',
    operation: 'oauth2_access_tokens_list',
    requests: ({ oauth2Providers }) => paged('/oauth2/access_tokens/', `provider=${oauth2Providers[0]}`),
  }),
  list({
    title: 'reputation policies, `check_ip=true`',
    operation: 'policies_reputation_list',
    requests: () => paged('/policies/reputation/', 'check_ip=true'),
  }),
  list({
    title: 'rules, `severity=notice`, groups of 5 members',
    operation: 'events_rules_list',
    requests: () => paged('/events/rules/', 'severity=notice'),
  }),
  list({
    title: 'rules by a caller who is not a superuser',
    operation: 'events_rules_list',
    caller: 'delegate',
    requests: () => paged('/events/rules/', 'severity=notice'),
  }),
  list({
    title: 'rules, `severity=warning`, groups of 50 members',
    operation: 'events_rules_list',
    requests: () => paged('/events/rules/', 'severity=warning'),
  }),
  list({
    title: 'users, `is_active=true`, with groups',
    operation: 'core_users_list',
    requests: () => paged('/core/users/', 'is_active=true'),
  }),
  list({
    title: 'events, `action=login`',
    operation: 'events_events_list',
    requests: () => paged('/events/events/', 'action=login'),
  }),
  list({
    title: 'search users by three letters (indexed), 20 found',
    operation: 'core_users_list',
    requests: () => [get(`/core/users/?search=${rareWord}&page_size=20`)],
  }),
  list({
    title: 'search users by two letters, 20 found',
    operation: 'core_users_list',
    requests: () => [get(`/core/users/?search=${rareWord.slice(0, 2)}&page_size=20`)],
  }),
  read({
    title: 'change a policy, with its event',
    operation: 'policies_password_expiry_partial_update',
    requests: ({ passwordExpiryPolicies }) =>
      passwordExpiryPolicies.map((pk) => ({
        method: 'PATCH',
        path: `${api}/policies/password_expiry/${pk}/`,
        body: { days: '{number}' },
      })),
  }),
  read({
    title: 'change a user, with its event',
    operation: 'core_users_partial_update',
    requests: ({ users }) =>
      users.map((pk) => ({ method: 'PATCH', path: `${api}/core/users/${pk}/`, body: { name: 'Changed {unique}' } })),
  }),
  read({
    title: 'create a user, with its event',
    operation: 'core_users_create',
    requests: () => [
      { method: 'POST', path: `${api}/core/users/`, body: { username: 'user-{unique}', name: 'user-{unique}' } },
    ],
  }),
  read({
    title: 'delete a user, with its event',
    operation: 'core_users_destroy',
    requests: () => [{ method: 'DELETE', path: `${api}/core/users/{target}/` }],
    targets: ({ leavers }) => leavers,
  }),
  read({
    title: 'create an expression policy, with its event',
    operation: 'policies_expression_create',
    requests: () => [
      {
        method: 'POST',
        path: `${api}/policies/expression/`,
        body: { name: 'expression-{unique}', expression: 'return request.user.username === "ada"' },
      },
    ],
  }),
  read({
    title: 'create a rule, with its event',
    operation: 'events_rules_create',
    requests: ({ transports, smallGroups }) => [
      {
        method: 'POST',
        path: `${api}/events/rules/`,
        body: { name: 'made-{unique}', severity: 'alert', transports, group: smallGroups[0] },
      },
    ],
  }),
];

/** What must hardly slow down as users become a hundred times as many. */
