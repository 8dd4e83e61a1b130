import { sql } from 'kysely';
import { asObject } from '../../../../lib/json.ts';
import { normalizeDnText } from '../../../../lib/ldap/dn.ts';
import type { Query } from '../../../../platform/db/database.ts';
import type { Call } from '../../../../resource/call.ts';
import { syncGroup } from '../../../../source/sync-groups.ts';
import { type DirectoryEntry, valuesOf } from '../client/values.ts';
import { ldapSourceModel } from '../ldap-model.ts';
import { mapEntries } from './map-entries.ts';
import { type Identified, identify, markSeen, Refused, type SyncRun, writeEach } from './sync-context.ts';
import { dnKeyOf, uidKey } from './sync-users.ts';

interface WantedGroup extends Identified {
  readonly properties: Parameters<typeof syncGroup>[0]['properties'];
}

/** Brings the groups of a page of entries up to date, and notes their members for later. */
export async function syncGroups(sync: SyncRun, entries: readonly DirectoryEntry[]): Promise<void> {
  const { counts, notes, source } = sync;
  const { groups } = counts;
  groups.found += entries.length;
  const { identified, failed } = identify(sync, entries);
  groups.failed += failed;
  // One that cannot be mapped or written is there nevertheless.
  await markSeen(sync, await knownEntries(sync, identified));
  const mapped = mapEntries(
    sync.sandbox,
    source,
    'group',
    sync.mappings.group,
    identified.map(({ entry }) => entry),
  );
  const wanted: WantedGroup[] = [];
  for (const [index, { entry, identifier }] of identified.entries()) {
    const result = mapped[index];
    if (!result || 'failure' in result) {
      groups.failed += 1;
      notes.add(`${entry.dn}: ${result?.failure}`);
      continue;
    }
    for (const name of result.unknown) notes.add(`A group mapping returns "${name}", which groups do not have.`);
    const kept = Object.fromEntries(
      Object.entries(asObject(result.properties.attributes)).filter(([, value]) => value !== null),
    );
    wanted.push({ entry, identifier, properties: { ...result.properties, attributes: kept } });
  }
  const refused = await writeEach(sync, wanted, (group, tx, call) => write(sync, group, tx, call));
  groups.failed += refused.size;
  for (const [{ entry }, reason] of refused) notes.add(`Failed to sync group ${entry.dn}: ${reason}`);
  await storeMembers(
    sync,
    entries.flatMap((entry) => membersOf(entry, source.group_membership_field)),
  );
}

async function knownEntries({ source, systemCall }: SyncRun, identified: readonly Identified[]): Promise<number[]> {
  const { db } = systemCall();
  const identifiers = identified.map(({ identifier }) => identifier);
  const { rows } = await sql<{ entry: number }>`select e.pk as entry from group_source_connections c
    join ldap_entries e on e.group_connection = c.pk
    where c.source = ${source.pk} and ${db.dialect.isOneOf(sql`c.identifier`, identifiers, 'text')}`.execute(db.read);
  return rows.map(({ entry }) => entry);
}

async function write(sync: SyncRun, { entry, identifier, properties }: WantedGroup, tx: Query, call: Call) {
  const { source, counts, notes, run } = sync;
  const connected = async () => {
    const { rows } = await sql<{ pk: number }>`select pk from group_source_connections
      where source = ${source.pk} and identifier = ${identifier}`.execute(tx);
    return rows[0]?.pk;
  };
  const before = await connected();
  const live = { ...source, kind: ldapSourceModel };
  const name = typeof properties.name === 'string' ? properties.name : '';
  if (name === '' && before === undefined) throw new Refused('No mapping returns a name.');
  const { pk, conflict, isNew: isOwn = false } = await syncGroup({ identifier, properties }, live, tx, call);
  if (pk === null) throw new Refused(conflict ?? 'It cannot be connected.');
  if (conflict) notes.add(conflict);
  const connection = before ?? (await connected());
  await sql`insert into ldap_entries (source, group_connection, dn, dn_key, is_own, is_locked, digest, seen)
    values (${source.pk}, ${connection}, ${entry.dn}, ${dnKeyOf(entry)}, ${isOwn}, ${false}, '', ${run.pk})
    on conflict (group_connection) do update set dn = excluded.dn, dn_key = excluded.dn_key, seen = excluded.seen`.execute(
    tx,
  );
  return () => {
    if (isOwn) counts.groups.created += 1;
    else if (before === undefined) counts.groups.updated += 1;
    else counts.groups.unchanged += 1;
  };
}

interface Edge {
  readonly parent: string;
  readonly member: string;
}

const memberByDn = (dn: string): string => normalizeDnText(dn) ?? dn.toLowerCase();

/** Who belongs to what, by an entry of a group or, with `memberOf`, of either kind. */
export function membersOf(entry: DirectoryEntry, field: string): Edge[] {
  const own = dnKeyOf(entry);
  const values = valuesOf(entry, field);
  if (/^memberOf$/i.test(field)) return values.map((parent) => ({ parent: memberByDn(parent), member: own }));
  const isUid = /^memberUid$/i.test(field);
  return values.map((value) => ({ parent: own, member: isUid ? uidKey(value) : memberByDn(value) }));
}

const edgesPerStatement = 2_000;
/** Longer names are in no index of PostgreSQL, and no entry has them. */
const maxKeyBytes = 2_500;
const isStorable = ({ parent, member }: Edge): boolean =>
  Math.max(Buffer.byteLength(parent), Buffer.byteLength(member)) <= maxKeyBytes;

export async function storeMembers({ run, source, systemCall }: SyncRun, found: readonly Edge[]): Promise<void> {
  const { db } = systemCall();
  const edges = found.filter(isStorable);
  for (let start = 0; start < edges.length; start += edgesPerStatement) {
    const rows = edges
      .slice(start, start + edgesPerStatement)
      .map(({ parent, member }) => sql`(${run.pk}, ${source.pk}, ${parent}, ${member})`);
    await db.write(
      (tx) => sql`insert into ldap_members (run, source, parent, member) values ${sql.join(rows)}`.execute(tx),
      {
        durable: false,
      },
    );
  }
}
