import type { ExtendedRequest, Result } from '../../../../lib/ldap/message.ts';
import type { Call } from '../../../../resource/call.ts';
import type { Session } from './client.ts';
import type { ServerNeeds } from './server-needs.ts';

export async function modifyPassword(
  _needs: ServerNeeds,
  _call: Call,
  _request: ExtendedRequest,
  _session: Session,
): Promise<Result> {
  return { code: 'unwillingToPerform' };
}
