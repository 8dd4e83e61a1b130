import type { InstanceKey } from '../../platform/keys.ts';
import type { Call } from '../../resource/call.ts';

// Forms cannot send the CSRF header. They carry this token instead, which only pages rendered for this session contain.

const purpose = 'own form';
export const csrfField = 'proof';

/** The hidden field of a form. `use` names what the form does: a token for one form is not valid for another. */
export const csrfFormField = (key: InstanceKey, { actor }: Call, use: string): Record<string, string> => ({
  [csrfField]: key.sign(purpose, `${use} ${actor?.session ?? ''}`),
});

/** Whether the request submits a form that this server rendered for the caller's session. */
export const isCsrfFormValid = (
  key: InstanceKey,
  { actor, request }: Call,
  params: { get(name: string): string | null | undefined },
  use: string,
): boolean =>
  request.method === 'POST' &&
  typeof actor?.session === 'string' &&
  key.verify(purpose, `${use} ${actor.session}`, params.get(csrfField) ?? '');
