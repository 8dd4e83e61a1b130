import { defineProvider } from '../../../provider/provider.family.ts';
import { ref, refs } from '../../../resource/fields/ref.ts';
import { boolean } from '../../../resource/fields/scalar.ts';
import { secretJson } from '../../../resource/fields/secret.ts';
import { choice, text } from '../../../resource/fields/text.ts';

const scopes = [
  'https://www.googleapis.com/auth/admin.directory.user',
  'https://www.googleapis.com/auth/admin.directory.group',
  'https://www.googleapis.com/auth/admin.directory.group.member',
  'https://www.googleapis.com/auth/admin.directory.domain.readonly',
];
const deleteActions = ['do_nothing', 'delete', 'suspend'];

export const workspaceDirectoryModel = 'svc_providers_workspace_directory.workspacedirectoryprovider';

/** Writes users and groups into a workspace directory. */
export const workspaceDirectoryProvider = defineProvider({
  path: '/providers/workspace_directory/',
  model: workspaceDirectoryModel,
  schema: 'WorkspaceDirectoryProvider',
  names: ['Workspace Directory Provider', 'Workspace Directory Providers'],
  component: 'xak-provider-workspace-directory-form',
  description: 'Keeps the users and groups of a workspace directory as they are here.',
  table: 'provider_workspace_directory',
  isBackchannel: true,
  filterBy: ['name'],
  without: ['authentication_flow', 'authorization_flow', 'assigned_application_slug', 'assigned_application_name'],
  fields: {
    property_mappings_group: refs('svc_core.propertymapping', 'uuid', {
      table: 'provider_workspace_directory_group_mappings',
      own: 'provider',
      other: 'mapping',
      help: 'Make what is sent for a group; those of `property_mappings` make users.',
    }),
    delegated_subject: text({
      max: 254,
      format: 'email',
      filter: true,
      help: 'The administrator of the directory in whose name changes are made.',
    }),
    credentials: secretJson({ anyValue: true, help: 'The key file of the service account, as JSON.' }),
    scopes: text({
      default: scopes.join(','),
      help: 'What the service account may do in the directory, with commas between.',
    }),
    exclude_users_service_account: boolean({ default: false, filter: true, help: 'Leave service accounts out.' }),
    filter_group: ref('svc_core.group', 'uuid', {
      nullable: true,
      filter: true,
      help: 'Only members of this group are brought over; empty brings everybody.',
    }),
    user_delete_action: choice(deleteActions, {
      default: 'delete',
      help: 'What happens in the directory when a user is deleted here.',
    }),
    group_delete_action: choice(deleteActions, {
      default: 'delete',
      help: 'What happens in the directory when a group is deleted here.',
    }),
    default_group_email_domain: text({ help: 'The domain of the addresses that groups get.' }),
  },
});
