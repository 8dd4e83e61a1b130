import type { Migration } from '../migrate.ts';
import { addColumns } from '../table.ts';

/**
 * Quotas of anonymous sign-ins, proof of authentication, and the scope of app passwords. Sign-ins of the previous
 * release lock these tables in this order, and before those of configuration: the same order here avoids deadlocks.
 */
export const sessions: Migration = {
  name: '0035-sessions',
  statements: (dialect) => [
    // Quotas also count the IPv6 /56 and /48 of a client.
    ...['flow_plans', 'source_visits'].flatMap((table) => [
      ...addColumns(dialect, table, { network_56: 'text?', network_48: 'text?' }),
      ...['network_56', 'network_48'].map(
        (column) =>
          `create index "${table}_${column}" on "${table}" ("${column}", "created") where "${column}" is not null`,
      ),
    ]),
    // When the user of a session last proved who they are. Unknown for older sessions: they authenticate again where it
    // matters.
    ...addColumns(dialect, 'authenticated_sessions', { proven_at: 'time?' }),
    // App passwords may be limited to one application, and are deleted with it: without it they would open all others.
    ...addColumns(
      dialect,
      'tokens',
      { application: 'uuid? -> applications cascade' },
      { sparse: { application: [['application']] } },
    ),
    ...addColumns(dialect, 'invitations', { mailed_to: 'text?' }),
  ],
};
