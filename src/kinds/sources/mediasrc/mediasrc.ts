import { originsOf } from '../../../flow/page-needs.ts';
import { stringSchema } from '../../../resource/document/json-schema.ts';
import type { SourceKind } from '../../../source/source-kind.ts';
import { mediasrcDemo } from './demo.ts';
import { mediasrcSource } from './mediasrc.resource.ts';
import { groupMediasrcConnection, userMediasrcConnection } from './mediasrc-connections.resource.ts';
import { mediasrcSourceMapping } from './mediasrc-mapping.resource.ts';
import { mediasrcSourceModel } from './mediasrc-model.ts';
import { loadExternalIdentity, type MediaSource, type RedeemNeeds, tokenMember } from './redeem-token.ts';

/** People who bring a token that their media server gave them. */
export function mediasrc(needs: RedeemNeeds): SourceKind<MediaSource, typeof tokenMember> {
  const { mediasrcApiUrl } = needs.config;
  return {
    resource: mediasrcSource(needs),
    resources: [userMediasrcConnection, groupMediasrcConnection, mediasrcSourceMapping(needs)],
    uncachedTables: ['user_connection_mediasrc'],
    screen: {
      component: 'xak-source-mediasrc',
      members: { client_id: stringSchema, slug: stringSchema },
      challenge: ({ client_id, slug }) => ({ client_id, slug }),
    },
    proof: {
      by: 'answer',
      answer: tokenMember,
      arrive: (source, { plex_token }, registry) =>
        loadExternalIdentity(needs, registry.require(mediasrcSourceModel), source, plex_token),
    },
    // The component requests a token for this client from the media server.
    link: { component: 'xak-user-settings-source-mediasrc', configureUrl: ({ client_id }) => client_id },
    pageNeeds: async () => ({ connections: originsOf(mediasrcApiUrl), data: { mediaApi: mediasrcApiUrl } }),
    demo: mediasrcDemo,
  };
}
