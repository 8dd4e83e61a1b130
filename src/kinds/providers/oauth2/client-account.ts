import { createServiceAccounts } from '../../../provider/workload/service-account.ts';

/** The account that a client, or one of its workloads, acts as by itself. The client itself has an empty subject. */
export const clientAccount = createServiceAccounts({ table: 'oauth2_client_accounts' });
