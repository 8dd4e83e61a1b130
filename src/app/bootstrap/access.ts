import { grantToReaders, readersRole } from '../../core/access/permissions.ts';
import type { BootstrapStep } from './steps.ts';

/** A group for those who may look at everything and change nothing. */
export const access: BootstrapStep = {
  name: 'access',
  async run({ ensure, tx }) {
    const role = await ensure('svc_rbac.role', { name: readersRole });
    await grantToReaders(tx);
    await ensure('svc_core.group', { name: 'Gatehouse Read-only' }, { roles: [role] });
  },
};
