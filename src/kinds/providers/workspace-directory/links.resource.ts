import { defineResource } from '../../../resource/define.ts';
import { ref } from '../../../resource/fields/ref.ts';
import { nested } from '../../../resource/fields/shown.ts';
import { json } from '../../../resource/fields/structured.ts';
import { text } from '../../../resource/fields/text.ts';
import { fieldFilter, relatedFilter } from '../../../resource/query.ts';
import type { Verb } from '../../../resource/verbs/verb.ts';
import { workspaceDirectoryModel } from './workspace-directory.resource.ts';

const verbs: readonly Verb[] = ['list', 'create', 'retrieve', 'destroy', 'used_by'];
const user = ref('svc_core.user', 'int', { help: 'The user here.' });
const group = ref('svc_core.group', 'uuid', { help: 'The group here.' });
const provider = ref(workspaceDirectoryModel, 'int', { help: 'The provider that keeps them alike.' });
const attributes = json({ anyValue: true, readOnly: true, default: () => ({}) });
const common = { param: 'id', key: 'uuid', keyName: 'id', verbs } as const;

/** Which remote user a user is. */
export const workspaceDirectoryUsers = defineResource({
  ...common,
  path: '/providers/workspace_directory_users/',
  model: 'svc_providers_workspace_directory.workspacedirectoryprovideruser',
  schema: 'WorkspaceDirectoryProviderUser',
  names: ['Workspace Directory Provider User', 'Workspace Directory Provider Users'],
  table: 'workspace_directory_users',
  order: ['user.username'],
  search: ['provider.name', 'user.username', 'google_id'],
  filters: {
    provider__id: fieldFilter('provider', provider),
    user__id: fieldFilter('user', user),
    user__username: relatedFilter('user.username'),
  },
  nameOf: (row) => String(row.google_id),
  fields: {
    google_id: text({ help: 'The key of the user in the directory.' }),
    user,
    user_obj: nested('svc_core.user', 'user', { view: 'member' }),
    provider,
    attributes,
  },
});

/** Which remote group a group is. */
export const workspaceDirectoryGroups = defineResource({
  ...common,
  path: '/providers/workspace_directory_groups/',
  model: 'svc_providers_workspace_directory.workspacedirectoryprovidergroup',
  schema: 'WorkspaceDirectoryProviderGroup',
  names: ['Workspace Directory Provider Group', 'Workspace Directory Provider Groups'],
  table: 'workspace_directory_groups',
  order: ['group.name'],
  search: ['provider.name', 'group.name', 'google_id'],
  filters: {
    provider__id: fieldFilter('provider', provider),
    group__group_uuid: fieldFilter('group', group),
    group__name: relatedFilter('group.name'),
  },
  nameOf: (row) => String(row.google_id),
  fields: {
    google_id: text({ help: 'The key of the group in the directory.' }),
    group,
    group_obj: nested('svc_core.group', 'group', { view: 'simple' }),
    provider,
    attributes,
  },
});
