import { changePassword } from '../../../../flow/password-change.ts';
import { ber, contentOf, context, readElements } from '../../../../lib/ldap/ber.ts';
import { isSameDn, parseDn } from '../../../../lib/ldap/dn.ts';
import { type ExtendedRequest, type Result, textOf } from '../../../../lib/ldap/message.ts';
import { maxPasswordLength } from '../../../../platform/passwords.ts';
import type { ServerNeeds } from '../../../../provider/password-server/server-needs.ts';
import type { Call } from '../../../../resource/call.ts';
import { isStorable } from '../../../../resource/fields/well-formed.ts';
import { actorOf, passwordSetOf } from './authority.ts';
import type { Session } from './client.ts';
import { servedProviders } from './served-providers.ts';

/** A bind shows who the client is for as long as a session on the web does. */
const recentMs = 10 * 60_000;

/** RFC 3062: changes the password of the client's own account. Throws a `BerError` if the request is malformed. */
export async function modifyPassword(
  needs: ServerNeeds,
  call: Call,
  { value }: ExtendedRequest,
  { authority, outpost }: Session,
): Promise<Result> {
  const asked = readRequest(value);
  if (!authority) return { code: 'insufficientAccessRights', message: 'Bind first.' };
  const actor = await actorOf(needs, call, authority);
  if (!actor) return { code: 'insufficientAccessRights', message: 'The account has changed: bind again.' };
  if (asked.identity !== null && !isOwn(asked.identity, authority.dn))
    return { code: 'insufficientAccessRights', message: 'You may change your own password only.' };
  if (authority.token !== null)
    return { code: 'insufficientAccessRights', message: 'App passwords do not change the password of the account.' };
  if (Date.now() - authority.boundAt > recentMs)
    return { code: 'unwillingToPerform', message: 'The bind is too long ago: bind again.' };
  const { wanted, current } = asked;
  if (wanted === null) return { code: 'unwillingToPerform', message: 'Passwords are not generated: send one.' };
  if (!isUsable(wanted) || (current !== null && !isUsable(current)))
    return { code: 'constraintViolation', message: 'The password is too long or holds a null character.' };
  const provider = (await servedProviders(call.db, outpost)).find(({ pk }) => pk === authority.provider);
  const change = await changePassword(
    { ...needs, registry: needs.engine.registry },
    { ...call, actor },
    { current, wanted, signInFlow: provider?.flow ?? null },
  );
  if (change.outcome === 'refused')
    return {
      code: 'constraintViolation',
      message: change.messages.join(' ') || 'The password cannot be changed here: send the current one as well.',
    };
  // The connection goes on as the same user.
  authority.passwordSet = await passwordSetOf(call, authority.user);
  return { code: 'success' };
}

const isUsable = (password: string): boolean => password.length <= maxPasswordLength && isStorable(password);

function isOwn(identity: string, own: string): boolean {
  const [asked, bound] = [parseDn(identity.replace(/^dn:/i, '')), parseDn(own)];
  return asked !== null && bound !== null && isSameDn(asked, bound);
}

interface Asked {
  readonly identity: string | null;
  readonly current: string | null;
  readonly wanted: string | null;
}

function readRequest(value: Buffer | null): Asked {
  const budget = { elements: 10 };
  const [request] = value ? readElements(value, budget) : [];
  const parts = request ? readElements(contentOf(request, ber.sequence), budget) : [];
  const find = (number: number) => {
    const part = parts.find(({ tag }) => tag === (context | number));
    return part && part.content.length > 0 ? textOf(part.content) : null;
  };
  return { identity: find(0), current: find(1), wanted: find(2) };
}
