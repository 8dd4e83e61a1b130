import type { ProviderKind } from '../../../provider/provider-kind.ts';
import {
  defineSyncProvider,
  deleteActionFields,
  type SyncProviderNeeds,
} from '../../../provider/sync/define-sync-provider.ts';
import type { SyncCalls } from '../../../provider/sync/target.ts';
import { secretJson } from '../../../resource/fields/secret.ts';
import { text } from '../../../resource/fields/text.ts';
import { fieldFilter, keyFilter } from '../../../resource/list/query.ts';
import { apiUrlOf, connect, type WorkspaceSession, type WorkspaceSettings } from './connect.ts';
import { workspaceGroups } from './groups.ts';
import { workspaceUsers } from './users.ts';

const scopes = [
  'https://www.googleapis.com/auth/admin.directory.user',
  'https://www.googleapis.com/auth/admin.directory.group',
  'https://www.googleapis.com/auth/admin.directory.group.member',
  'https://www.googleapis.com/auth/admin.directory.domain.readonly',
];

const calls: SyncCalls<WorkspaceSettings, WorkspaceSession> = {
  connections: 4,
  settlesInMs: 10 * 60 * 1_000,
  // A domain belongs to one customer; the key of the service account may be replaced.
  destination: ({ credentials, delegated_subject }) =>
    `${apiUrlOf(credentials)} ${delegated_subject.slice(delegated_subject.lastIndexOf('@') + 1)}`.toLowerCase(),
  connect,
  tokenOf: (_, { token }) => token,
  mediaType: 'application/json',
  remote: (settings, session, send) => ({
    user: workspaceUsers(session, send),
    group: workspaceGroups(settings, session, send),
  }),
};

/** Pushes users and groups into a workspace directory. */
export const workspaceDirectory = (needs: SyncProviderNeeds): ProviderKind =>
  defineSyncProvider(needs, {
    path: 'workspace_directory',
    model: 'svc_providers_workspace_directory.workspacedirectoryprovider',
    schema: 'WorkspaceDirectoryProvider',
    name: 'Workspace Directory Provider',
    component: 'xak-provider-workspace-directory-form',
    description: 'Synchronizes users and groups to Google Workspace.',
    fields: {
      delegated_subject: text({
        max: 254,
        format: 'email',
        filter: true,
        help: 'The administrator of the directory in whose name changes are made.',
      }),
      credentials: secretJson({ help: 'The key file of the service account, as JSON.' }),
      scopes: text({
        default: scopes.join(','),
        help: 'The scopes of the service account in the directory, separated by commas.',
      }),
      ...deleteActionFields,
      default_group_email_domain: text({ help: 'The domain of the addresses that groups get.' }),
    },
    destination: ['credentials', 'delegated_subject'],
    mapping: {
      model: 'svc_providers_workspace_directory.workspacedirectoryprovidermapping',
      schema: 'WorkspaceDirectoryProviderMapping',
      names: ['Workspace Directory Provider Mapping', 'Workspace Directory Provider Mappings'],
      component: 'xak-property-mapping-provider-workspace-directory-form',
      filters: { pm_uuid: keyFilter, expression: fieldFilter('expression', text()) },
    },
    linkId: 'google_id',
    linksHaveAttributes: true,
    calls,
    demo: {
      name: 'Demo Directory',
      values: {
        delegated_subject: 'admin@example.com',
        credentials: {
          type: 'service_account',
          client_email: 'demo@example.com',
          private_key: 'none: this is demo data',
        },
        default_group_email_domain: 'example.com',
      },
    },
  });
