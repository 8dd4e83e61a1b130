import type { ProviderKind } from '../../../provider/provider-kind.ts';
import { baseUrl } from '../../../provider/sync/base-url.ts';
import { defineSyncProvider, type SyncProviderNeeds } from '../../../provider/sync/define-sync-provider.ts';
import { withBearer } from '../../../provider/sync/send.ts';
import type { SyncCalls } from '../../../provider/sync/target.ts';
import { secret } from '../../../resource/fields/secret.ts';
import { choice, text } from '../../../resource/fields/text.ts';
import { compatibilityModes, connect, type ScimSession, type ScimSettings } from './connect.ts';
import { scimGroups } from './groups.ts';
import { scimUsers } from './users.ts';

const mediaType = 'application/scim+json';

const calls: SyncCalls<ScimSettings, ScimSession> = {
  connections: 8,
  settlesInMs: 0,
  destination: ({ url }) => {
    const address = URL.parse(baseUrl(url));
    // A server that moves from http to https stays the same.
    return address ? `${address.host}${address.pathname}${address.search}` : url;
  },
  connect: (settings, send) => connect(settings, withBearer(send, settings.token, mediaType)),
  tokenOf: ({ token }) => token,
  mediaType,
  remote: (settings, session, send) => ({
    user: scimUsers(settings, session, send),
    group: scimGroups(settings, session, send),
  }),
};

/** Pushes users and groups to a SCIM 2.0 server. */
export const scimProvider = (needs: SyncProviderNeeds): ProviderKind =>
  defineSyncProvider(needs, {
    path: 'scim',
    model: 'svc_providers_scim.scimprovider',
    schema: 'SCIMProvider',
    name: 'SCIM Provider',
    component: 'xak-provider-scim-form',
    description: 'Synchronizes users and groups to an application over SCIM 2.0.',
    search: ['name', 'url'],
    fields: {
      url: text({ format: 'uri', filter: true, help: 'The base address of the SCIM server; `/Users` is added to it.' }),
      token: secret({ sentTo: ['url'], help: 'The bearer token that the SCIM server has issued.' }),
      compatibility_mode: choice([...compatibilityModes], {
        labels: { aws: 'AWS', gitlab: 'GitLab', sfdc: 'Salesforce', vcenter: 'vCenter' },
        default: 'default',
        help: 'Works around deviations in the servers of some vendors.',
      }),
    },
    destination: ['url'],
    mapping: {
      model: 'svc_providers_scim.scimmapping',
      schema: 'SCIMMapping',
      names: ['SCIM Provider Mapping', 'SCIM Provider Mappings'],
      component: 'xak-property-mapping-provider-scim-form',
    },
    linkId: 'scim_id',
    linksHaveAttributes: false,
    calls,
    demo: {
      name: 'Demo SCIM',
      values: { url: 'https://192.0.2.1/scim/v2', token: 'none: this is demo data' },
    },
  });
