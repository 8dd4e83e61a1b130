import { stringSchema } from '../../../resource/json-schema.ts';
import type { SourceDoor } from '../../../source/door.ts';
import { mediasrcSourceModel } from './mediasrc-model.ts';
import { arriveWith, type MediaSource, type RedeemNeeds, tokenMember } from './redeem-token.ts';

/** People bring a token that the media server gave them. */
export function mediasrcDoor(needs: Pick<RedeemNeeds, 'fetch' | 'config'>): SourceDoor {
  return {
    model: mediasrcSourceModel,
    component: 'xak-source-mediasrc',
    members: { client_id: stringSchema, slug: stringSchema },
    challenge: ({ client_id, slug }) => ({ client_id, slug }),
    answer: tokenMember,
    arrive: (source, { plex_token }, registry) =>
      arriveWith(needs, registry.require(mediasrcSourceModel), source as MediaSource, plex_token as string),
  };
}
