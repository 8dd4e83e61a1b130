import type { InstanceKey } from '../../../platform/keys.ts';
import type { Call } from '../../../resource/call.ts';
import type { Params } from './params.ts';

// A form cannot send a header, so that it brings its proof along: only a page that we made for this session has it.

const purpose = 'oauth2 form';
export const proofField = 'proof';

export const formProof = (key: InstanceKey, { actor }: Call, use: string): Record<string, string> => ({
  [proofField]: key.sign(purpose, `${use} ${actor?.session ?? ''}`),
});

export const isProvenForm = (key: InstanceKey, { actor, request }: Call, params: Params, use: string): boolean =>
  request.method === 'POST' &&
  typeof actor?.session === 'string' &&
  key.verify(purpose, `${use} ${actor.session}`, params.get(proofField) ?? '');
