import type { ProviderKind } from '../../../provider/provider-kind.ts';
import { baseUrl } from '../../../provider/sync/base-url.ts';
import {
  defineSyncProvider,
  deleteActionFields,
  type SyncProviderNeeds,
} from '../../../provider/sync/define-sync-provider.ts';
import type { SyncCalls } from '../../../provider/sync/target.ts';
import { secret } from '../../../resource/fields/secret.ts';
import { text } from '../../../resource/fields/text.ts';
import { fieldFilter, keyFilter } from '../../../resource/list/query.ts';
import { type CloudSession, type CloudSettings, connect } from './connect.ts';
import { cloudGroups } from './groups.ts';
import { cloudUsers } from './users.ts';

const calls: SyncCalls<CloudSettings, CloudSession> = {
  connections: 4,
  settlesInMs: 10 * 60 * 1_000,
  destination: ({ graph_url, tenant_id }) => `${baseUrl(graph_url)} ${tenant_id}`.toLowerCase(),
  connect,
  tokenOf: (_, { token }) => token,
  mediaType: 'application/json',
  remote: (_, session, send) => ({
    user: cloudUsers(session, send),
    group: cloudGroups(session, send),
  }),
};

/** Pushes users and groups into a cloud directory. */
export const cloudDirectory = (needs: SyncProviderNeeds): ProviderKind =>
  defineSyncProvider(needs, {
    path: 'cloud_directory',
    model: 'svc_providers_cloud_directory.clouddirectoryprovider',
    schema: 'CloudDirectoryProvider',
    name: 'Cloud Directory Provider',
    component: 'xak-provider-cloud-directory-form',
    description: 'Synchronizes users and groups to Microsoft Entra ID.',
    fields: {
      client_id: text({ help: 'The id of the application that is registered in the directory.' }),
      client_secret: secret({
        sentTo: ['login_url', 'graph_url'],
        help: 'The secret of that application.',
        isObvious: true,
      }),
      tenant_id: text({ help: 'The id of the directory.' }),
      login_url: text({
        format: 'uri',
        default: 'https://login.microsoftonline.com',
        help: 'Where tokens come from; national clouds have addresses of their own.',
      }),
      graph_url: text({
        format: 'uri',
        default: 'https://graph.microsoft.com',
        help: 'Where the directory is; national clouds have addresses of their own.',
      }),
      ...deleteActionFields,
    },
    destination: ['client_id', 'tenant_id', 'login_url', 'graph_url'],
    mapping: {
      model: 'svc_providers_cloud_directory.clouddirectoryprovidermapping',
      schema: 'CloudDirectoryProviderMapping',
      names: ['Cloud Directory Provider Mapping', 'Cloud Directory Provider Mappings'],
      component: 'xak-property-mapping-provider-cloud-directory-form',
      filters: { pm_uuid: keyFilter, expression: fieldFilter('expression', text()) },
    },
    linkId: 'microsoft_id',
    linksHaveAttributes: true,
    calls,
    demo: {
      name: 'Demo Cloud',
      values: {
        client_id: 'demo',
        client_secret: 'none: this is demo data',
        tenant_id: 'demo',
        login_url: 'https://192.0.2.1',
        graph_url: 'https://192.0.2.1',
      },
    },
  });
