import { image } from '../../../core/media/image-field.ts';
import { randomText } from '../../../platform/random.ts';
import { boolean } from '../../../resource/fields/scalar.ts';
import { secret } from '../../../resource/fields/secret.ts';
import { list } from '../../../resource/fields/structured.ts';
import { text } from '../../../resource/fields/text.ts';
import type { Resource } from '../../../resource/resource.ts';
import { defineSource, publicEnrollment, signInFilters } from '../../../source/source.family.ts';
import { mediasrcSourceModel } from './mediasrc-model.ts';
import { type RedeemNeeds, redeemToken, redeemTokenAuthenticated } from './redeem-token.ts';

/** People who have an account with a media server. */
export function mediasrcSource(needs: RedeemNeeds): Resource {
  return defineSource({
    path: '/sources/mediasrc/',
    model: mediasrcSourceModel,
    schema: 'MediasrcSource',
    names: ['Mediasrc Source', 'Mediasrc Sources'],
    labels: ['Media server source', 'Media server sources'],
    component: 'xak-source-mediasrc-form',
    description: 'People sign in with their account at a media server.',
    table: 'source_mediasrc',
    filterBy: [...signInFilters, 'group_matching_mode'],
    fields: {
      ...publicEnrollment,
      icon: image('/static/sources/mediasrc.svg'),
      client_id: text({
        default: () => randomText(40),
        filter: true,
        help: 'Our client identifier at the media server.',
      }),
      allowed_servers: list(text(), {
        default: () => [],
        help: 'Only members of one of these servers may enter; an empty list allows every server.',
      }),
      allow_friends: boolean({
        default: true,
        filter: true,
        help: 'Whether friends of the owner may enter without sharing a server.',
      }),
      plex_token: secret({ help: 'The owner’s token, with which friends are looked up.' }),
    },
    actions: [redeemToken(needs), redeemTokenAuthenticated(needs)],
  });
}
