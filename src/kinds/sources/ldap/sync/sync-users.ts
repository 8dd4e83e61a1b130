import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { isSuperuserSql } from '../../../../core/access/rights-sql.ts';
import { recordEmailProof } from '../../../../core/directory/email-proof.ts';
import { usersIn } from '../../../../core/directory/users.ts';
import { asObject, isSameJson, type Json, type JsonObject } from '../../../../lib/json.ts';
import { normalizeDnText, normalizeValue } from '../../../../lib/ldap/dn.ts';
import { fromTimestamp } from '../../../../platform/clock.ts';
import type { Query } from '../../../../platform/db/database.ts';
import type { Call } from '../../../../resource/call.ts';
import { createRow, insertRow, updateRow } from '../../../../resource/write/write-row.ts';
import { matchUser } from '../../../../source/match-user.ts';
import { type DirectoryEntry, valuesOf } from '../client/values.ts';
import { ldapConnectionModel } from '../ldap-model.ts';
import { isLockedThere, passwordChangedAt, unusablePassword } from './account-state.ts';
import { mapEntries } from './map-entries.ts';
import { identify, markSeen, Refused, type SyncRun, writeEach } from './sync-context.ts';

interface KnownUser {
  readonly identifier: string;
  readonly connection: number;
  readonly user: number;
  readonly entry: number | null;
  readonly digest: string | null;
  readonly is_own: unknown;
  readonly is_locked: unknown;
  readonly is_active: unknown;
  readonly is_protected: unknown;
  readonly password_set: string | null;
}

interface WantedUser {
  readonly entry: DirectoryEntry;
  readonly identifier: string;
  readonly properties: Record<string, Json>;
  readonly isLocked: boolean;
  readonly passwordChanged: number | null;
  readonly digest: string;
  readonly known: KnownUser | null;
}

/** Clocks differ, and a password that is changed here is written to the directory a moment before it is stored. */
const clockToleranceMs = 60_000;

/** Brings the users of a page of entries up to date. */
export async function syncUsers(sync: SyncRun, entries: readonly DirectoryEntry[]): Promise<void> {
  const { counts, notes, source } = sync;
  const { users } = counts;
  users.found += entries.length;
  const { identified, failed } = identify(sync, entries);
  users.failed += failed;
  const known = await knownUsers(
    sync,
    identified.map(({ identifier }) => identifier),
  );
  const mapped = mapEntries(
    sync.sandbox,
    source,
    'user',
    sync.mappings.user,
    identified.map(({ entry }) => entry),
  );
  const now = fromTimestamp(sync.systemCall().now).getTime();
  const wanted: WantedUser[] = [];
  const unchanged: number[] = [];
  for (const [index, { entry, identifier }] of identified.entries()) {
    const result = mapped[index];
    const here = known.get(identifier) ?? null;
    // One that cannot be mapped is there nevertheless.
    if (here?.entry) unchanged.push(here.entry);
    if (!result || 'failure' in result) {
      users.failed += 1;
      notes.add(`${entry.dn}: ${result?.failure}`);
      continue;
    }
    for (const name of result.unknown) notes.add(`A user mapping returns "${name}", which users do not have.`);
    const isLocked = isLockedThere(entry, now);
    const passwordChanged = passwordChangedAt(entry);
    const content = hash('sha256', JSON.stringify([entry.dn, result.properties, isLocked, passwordChanged]), 'base64');
    const isSame = content === here?.digest && !(isLocked && Boolean(here.is_active));
    if (isSame) users.unchanged += 1;
    else
      wanted.push({
        entry,
        identifier,
        properties: result.properties,
        isLocked,
        passwordChanged,
        digest: content,
        known: here,
      });
  }
  await markSeen(sync, unchanged);
  const refused = await writeEach(sync, wanted, (user, tx, call) =>
    user.known ? change(sync, user, user.known, tx, call) : connect(sync, user, tx, call),
  );
  users.failed += refused.size;
  for (const [{ entry, known: here, identifier }, reason] of refused) {
    const verb = here ? 'update' : 'create';
    notes.add(
      `Failed to ${verb} user ${entry.dn}: ${reason}${here ? '' : ` (${source.object_uniqueness_field}: ${identifier})`}`,
    );
  }
}

async function knownUsers({ source, systemCall }: SyncRun, identifiers: readonly string[], query?: Query) {
  const { db } = systemCall();
  const { rows } =
    await sql<KnownUser>`select c.identifier, c.pk as connection, c."user", e.pk as entry, e.digest, e.is_own,
      e.is_locked, u.is_active, u.type = 'internal_service_account' or ${isSuperuserSql(sql`u.pk`)} as is_protected,
      case when u.password <> ${unusablePassword} then u.password_change_date end as password_set
    from user_source_connections c join users u on u.pk = c."user" left join ldap_entries e on e.user_connection = c.pk
    where c.source = ${source.pk}
      and ${db.dialect.isOneOf(sql`c.identifier`, identifiers, 'text')}`.execute(query ?? db.read);
  return new Map(rows.map((row) => [row.identifier, row]));
}

/** A user whom the source has not connected yet: matched to one who is here, or created. */
async function connect(sync: SyncRun, wanted: WantedUser, tx: Query, call: Call): Promise<() => void> {
  const { source, engine, counts, run } = sync;
  const { properties, identifier } = wanted;
  const [username, email] = [textOf(properties.username), textOf(properties.email)];
  if (username === '') throw new Refused('No mapping returns a username.');
  const identity = {
    identifier,
    username,
    email,
    isEmailConfirmed: source.trust_emails,
    name: textOf(properties.name),
    info: {},
  };
  const match = await matchUser(source, identity, { user: properties, groups: null, reports: [] }, false, tx);
  if (match.outcome === 'refused')
    throw new Refused(`The matching mode ${source.user_matching_mode} does not allow it: ${reasonOf(sync)}`);
  if (match.outcome === 'unproven user') throw new Refused('A user has the address without having verified it.');
  const users = usersIn(engine.registry);
  const body = {
    name: '',
    ...properties,
    attributes: withoutNulls(asObject(properties.attributes)),
    is_active: !wanted.isLocked,
  };
  const isNew = match.outcome === 'new user';
  const user = isNew ? Number((await createRow({ engine, resource: users, call, tx }, body)).pk) : match.user;
  const connection = await insertRow(
    engine.registry.require(ldapConnectionModel),
    { user, source: source.pk, identifier, created: call.now, kind: ldapConnectionModel },
    call,
    tx,
  );
  await sql`insert into ldap_entries (source, user_connection, dn, dn_key, uid_key, is_own, is_locked, digest, seen)
    values (${source.pk}, ${connection}, ${wanted.entry.dn}, ${dnKeyOf(wanted.entry)}, ${uidKeyOf(wanted.entry)}, ${isNew},
      ${isNew && wanted.isLocked}, ${isNew ? wanted.digest : ''}, ${run.pk})`.execute(tx);
  if (source.trust_emails && email !== '') await recordEmailProof(tx, { email, by: 'source' }, user, call.now);
  if (!isNew) {
    const known = (await knownUsers(sync, [identifier], tx)).get(identifier);
    if (known) await change(sync, wanted, known, tx, call);
  }
  return () => {
    counts.users[isNew ? 'created' : 'updated'] += 1;
  };
}

const reasonOf = ({ source }: SyncRun): string =>
  source.user_matching_mode.startsWith('email') && !source.trust_emails
    ? 'addresses of this source do not count as verified.'
    : 'a user has this name or address, or the entry has none.';

/** Gives a connected user what the directory has now. Superusers stay as they are. */
async function change(sync: SyncRun, wanted: WantedUser, known: KnownUser, tx: Query, call: Call): Promise<() => void> {
  const { engine, source, counts, notes, run } = sync;
  const { entry, properties, isLocked } = wanted;
  const users = usersIn(engine.registry);
  const current = await engine.stored(users, call)(call, tx, known.user);
  if (!current) throw new Refused('The user has just been deleted.');
  const isOwn = Boolean(known.is_own);
  let locked = Boolean(known.is_locked);
  if (known.is_protected) notes.add(`${current.username} is a superuser, whom directories do not change.`);
  else {
    const { path, attributes, ...texts } = properties;
    const body: Record<string, unknown> = { ...texts, ...(isOwn && path !== undefined && { path }) };
    // Attributes that the directory has are replaced, not joined with what it had before.
    if (attributes !== undefined) body.attributes = withoutNulls({ ...current.attributes, ...asObject(attributes) });
    // Whom an administrator has deactivated here, the directory does not activate.
    if (isLocked) {
      if (current.is_active) locked = true;
      body.is_active = false;
    } else if (locked) {
      locked = false;
      body.is_active = true;
    }
    const row: Record<string, unknown> = current;
    const changed = Object.fromEntries(Object.entries(body).filter(([name, value]) => !isSame(value, row[name])));
    if (Object.keys(changed).length > 0)
      await updateRow({ engine, resource: users, call, tx }, known.user, current, changed, 'patch');
    const email = textOf(properties.email);
    if (source.trust_emails && email !== '') await recordEmailProof(tx, { email, by: 'source' }, known.user, call.now);
    if (isPasswordOutdated(wanted, known)) {
      await sql`update users set password = ${unusablePassword} where pk = ${known.user}`.execute(tx);
      notes.add(`'${current.username}': Reset user's password`);
    }
  }
  const values = sql`dn = ${entry.dn}, dn_key = ${dnKeyOf(entry)}, uid_key = ${uidKeyOf(entry)}, is_locked = ${locked},
    digest = ${wanted.digest}, seen = ${run.pk}`;
  if (known.entry !== null) await sql`update ldap_entries set ${values} where pk = ${known.entry}`.execute(tx);
  else
    await sql`insert into ldap_entries (source, user_connection, dn, dn_key, uid_key, is_own, is_locked, digest, seen)
      values (${source.pk}, ${known.connection}, ${entry.dn}, ${dnKeyOf(entry)}, ${uidKeyOf(entry)}, ${false}, ${locked},
        ${wanted.digest}, ${run.pk})`.execute(tx);
  return () => {
    counts.users.updated += 1;
  };
}

/** A password that was changed in the directory since then ends the one that is stored here. */
const isPasswordOutdated = ({ passwordChanged }: WantedUser, { password_set }: KnownUser): boolean =>
  passwordChanged !== null &&
  password_set !== null &&
  passwordChanged > fromTimestamp(password_set).getTime() + clockToleranceMs;

const isSame = (one: unknown, other: unknown): boolean => one === other || isSameJson(one, other);
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const withoutNulls = (attributes: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null));

export const dnKeyOf = ({ dn }: DirectoryEntry): string => normalizeDnText(dn) ?? dn.toLowerCase();
const uidKeyOf = (entry: DirectoryEntry): string | null => {
  const [uid] = valuesOf(entry, 'uid');
  return uid === undefined ? null : uidKey(uid);
};
/** A login name as a member of a group; no distinguished name begins so. */
export const uidKey = (uid: string): string => `uid:${normalizeValue(uid)}`;
