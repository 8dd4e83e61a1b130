import { normalizeType } from '../../../../lib/ldap/dn.ts';
import type { CompareRequest, Result } from '../../../../lib/ldap/message.ts';
import type { ServerNeeds } from '../../../../provider/password-server/server-needs.ts';
import type { Call } from '../../../../resource/call.ts';
import { partsOf } from '../search/parts.ts';
import { createSearch, hasEntry, viewOf } from '../search/search.ts';
import { createBind } from './bind.ts';
import type { Operations, Session } from './client.ts';
import { modifyPassword } from './modify-password.ts';

export function createOperations(needs: ServerNeeds & { readonly version: string }): Operations {
  return {
    bind: createBind(needs),
    search: createSearch(needs),
    async compare(call, { message: { operation } }, session) {
      if (operation.op !== 'compare') return { code: 'protocolError' };
      return compare(needs, call, operation, session);
    },
    modifyPassword: (call, request, session) => modifyPassword(needs, call, request, session),
  };
}

async function compare(
  needs: ServerNeeds,
  call: Call,
  { entry, attribute, value }: CompareRequest,
  session: Session,
): Promise<Result> {
  const seen = await viewOf(needs, call, session, entry);
  if ('code' in seen) return seen;
  const parts = partsOf(seen.view, seen.dn, 'base');
  if (!parts || !(await hasEntry(seen.view, parts))) return { code: 'noSuchObject' };
  if (!(await hasEntry(seen.view, parts, { is: 'present', attribute }))) return { code: 'noSuchAttribute' };
  const isEqual = await hasEntry(seen.view, parts, { is: 'equal', attribute: normalizeType(attribute), value });
  return { code: isEqual ? 'compareTrue' : 'compareFalse' };
}
