import { MappingFailed } from '../../../core/mapping/evaluate.ts';
import { Invalid } from '../../../lib/problem.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { previewAnswer, previewedUser, previewQuery } from '../../../provider/previewed-user.ts';
import type { Action } from '../../../resource/resource.ts';
import { idTokenClaims, lengthOf, scopeClaims, subjectOf, type TokenSettings } from './claims.ts';
import { scopesOf } from './client.ts';

export interface PreviewNeeds {
  readonly installId: string;
  readonly config: { readonly publicUrl: string };
  readonly sandbox: Sandbox;
}

/** Shows what an ID token would say of a user, with all scopes of the provider. */
export function previewUserAction({ sandbox, installId, config }: PreviewNeeds): Action<TokenSettings> {
  return {
    name: 'preview_user',
    on: 'row',
    method: 'GET',
    page: { button: 'Preview for a user' },
    summary: 'Show the claims that clients of the provider would get about a user',
    access: 'visible',
    query: previewQuery,
    answer: previewAnswer,
    async run(input) {
      const { call, row: settings } = input;
      const user = await previewedUser(input);
      const mappings = await scopesOf(call.db.read, settings.pk);
      try {
        const { value: claims } = scopeClaims(sandbox, mappings, user, settings);
        const subject = subjectOf(settings.sub_mode, user, installId);
        const { now } = call;
        const expires = addMilliseconds(now, lengthOf(settings.access_token_validity));
        const { publicUrl } = config;
        return { preview: idTokenClaims({ settings, subject, claims, publicUrl, now, expires, authTime: now }) };
      } catch (error) {
        if (error instanceof MappingFailed) throw Invalid.whole(`A scope mapping failed: ${error.message}`);
        throw error;
      }
    },
  };
}
