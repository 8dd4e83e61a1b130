import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** What LDAP sources know of the entries that are linked to users and groups, and their runs. */
export const ldapRuns: Migration = {
  name: '0141-ldap-runs',
  statements: (dialect) => [
    // One row for each linked entry: users and groups differ in the column that is set.
    ...createTable(
      dialect,
      'ldap_entries',
      {
        pk: 'serial',
        source: 'uuid -> sources cascade',
        user_connection: 'int? unique -> user_source_connections cascade',
        group_connection: 'int? unique -> group_source_connections cascade',
        dn: 'text',
        dn_key: 'text',
        uid_key: 'text?',
        is_own: 'bool',
        is_locked: 'bool',
        digest: 'text',
        seen: 'uuid?',
      },
      { index: [['source', 'dn_key']], sparse: { uid_key: [['source', 'uid_key']] } },
    ),
    // Who is a member of which entry, as the current run has read it.
    ...createTable(
      dialect,
      'ldap_members',
      { run: 'uuid', source: 'uuid -> sources cascade', parent: 'text', member: 'text' },
      { index: [['run', 'parent']] },
    ),
    ...createTable(
      dialect,
      'ldap_runs',
      {
        pk: 'uuid key',
        source: 'uuid -> sources cascade',
        is_dry: 'bool',
        state: 'text',
        phase: 'text',
        counts: 'json',
        messages: 'json',
        started: 'time',
        finished: 'time?',
      },
      { index: [['source', 'started']] },
    ),
  ],
};
