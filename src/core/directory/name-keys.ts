import { sql } from 'kysely';
import type { JsonObject } from '../../lib/json.ts';
import { isSameName, lowerAscii, nameKey } from '../../lib/name-key.ts';
import type { Complaints } from '../../lib/problem.ts';
import type { Database, Query } from '../../platform/db/database.ts';

/** The columns beside `username` and `email` by which users are looked up and distinguished. */
export const usernameKey = { column: 'username_key', of: nameKey };
export const emailKey = { column: 'email_key', of: (email: string) => (email === '' ? null : nameKey(email)) };

/** The same for the attribute `upn`, which several users may have. */
export const upnKey = {
  column: 'upn_key',
  of: ({ upn }: JsonObject) => (typeof upn === 'string' && upn !== '' ? nameKey(upn) : null),
};

export interface NamedUser {
  readonly pk: number;
  readonly username: string;
  readonly email: string;
}

type NamedIn = 'username' | 'email';

/** Users with a name or address that is this text, or looks like it. */
async function findAlike(query: Query, text: string): Promise<(NamedUser & { readonly uuid: string })[]> {
  const key = nameKey(text);
  const { rows } = await sql<NamedUser & { uuid: string }>`select pk, username, email, uuid from users
    where username_key = ${key} or email_key = ${key}`.execute(query);
  return rows;
}

/** Users whose name, or whose address, is this text in any case; several may share an address. */
export async function findByName(query: Query, text: string, by: readonly NamedIn[]): Promise<NamedUser[]> {
  if (text === '') return [];
  const found = await findAlike(query, text);
  return found.filter((user) => by.some((column) => isSameName(user[column], text)));
}

/** The stored spellings of these names or addresses, where they differ in more than the case of ASCII letters. */
export async function findSpellings(query: Query, texts: readonly string[]): Promise<Map<string, readonly string[]>> {
  const spellings = new Map<string, readonly string[]>();
  if (texts.length === 0) return spellings;
  const keys = sql.join([...new Set(texts.map(nameKey))]);
  const { rows } = await sql<NamedUser>`select pk, username, email from users
    where username_key in (${keys}) or email_key in (${keys})`.execute(query);
  const names = [...new Set(rows.flatMap(({ username, email }) => [username, email]))];
  for (const text of texts) {
    const others = names.filter((name) => isSameName(name, text) && lowerAscii(name) !== lowerAscii(text));
    if (others.length > 0) spellings.set(text, others);
  }
  return spellings;
}

/** Whether a user may have a name: no other user has it as name or address, or one that looks like it. */
export const isNameFree = async (query: Query, name: string, user: number | null = null): Promise<boolean> =>
  (await findAlike(query, name)).every(({ pk }) => pk === user);

export const usernameTaken = 'This field must be unique.';
export const emailTaken = 'User with this email already exists.';
const alike = 'It is, or looks like, the name or the address of another user.';

interface Names {
  readonly username: string;
  readonly email: string;
}

interface Checked {
  readonly complaints: Complaints | null;
  /** Whether other accounts have the address. */
  readonly isShared: boolean;
}

/**
 * Checks a user's new name and address against those of all others. Names and addresses are one name space, because
 * people sign in by either; look-alike names count as equal. A user may keep existing values.
 */
export async function checkNames(
  query: Query,
  values: Names,
  current: (Names & { readonly pk: number }) | null,
  mayShare: boolean,
): Promise<Checked> {
  const complaints: Complaints = {};
  let isShared = false;
  const isNew = (name: NamedIn) => current === null || nameKey(values[name]) !== nameKey(current[name]);
  const others = async (text: string) => (await findAlike(query, text)).filter(({ pk }) => pk !== current?.pk);
  if (isNew('username')) {
    const found = await others(values.username);
    if (found.some(({ username }) => isSameName(username, values.username))) complaints.username = [usernameTaken];
    else if (found.length > 0) complaints.username = [usernameTaken, alike];
  }
  if (values.email !== '' && isNew('email')) {
    const found = await others(values.email);
    const sharers = found.filter(({ email }) => isSameName(email, values.email));
    isShared = mayShare && sharers.length > 0;
    if (sharers.length > 0 && !mayShare) complaints.email = [emailTaken];
    // An account named by its own address may share that, too.
    else if (sharers.length < found.length) complaints.email = [emailTaken, alike];
  }
  return { complaints: Object.keys(complaints).length > 0 ? complaints : null, isShared };
}

const batch = 1_000;

/**
 * Computes the keys that migrations and older instances could not: of names beyond ASCII. Rows whose key another row
 * has keep working, by their exact names; returns how many those are.
 */
export async function fillNameKeys(db: Database): Promise<number> {
  let twins = 0;
  for (let isMore = true; isMore; ) {
    isMore = await db.write(async (tx) => {
      await db.dialect.exclusive('name keys')?.execute(tx);
      const { rows } = await sql<
        NamedUser & { uuid: string; username_key: string | null; email_key: string | null }
      >`select
        pk, username, email, uuid, username_key, email_key from users
        where username_key is null or (email_key is null and email <> '') order by pk limit ${batch}`.execute(tx);
      for (const row of rows) {
        const [username, email] = [nameKey(row.username), emailKey.of(row.email)];
        const { rows: taken } = await sql<{ names: unknown; emails: unknown }>`select
          exists (select 1 from users where username_key = ${username} and pk <> ${row.pk}) as names,
          exists (select 1 from users where email_key = ${email} and pk <> ${row.pk}) as emails`.execute(tx);
        const [names, emails] = [Boolean(taken[0]?.names), Boolean(taken[0]?.emails)];
        if (names || emails) twins += 1;
        await sql`update users set username_key = ${username}, username_twin = ${names ? row.uuid : ''},
          email_key = ${email}, email_twin = ${emails ? row.uuid : ''} where pk = ${row.pk}`.execute(tx);
      }
      return rows.length === batch;
    });
  }
  return twins;
}

const maxListed = 100;

/** Users with ambiguous names, each with the others: created before such names were rejected. */
export async function listAmbiguousNames(query: Query): Promise<string[]> {
  const { rows } = await sql<{ name: string; other: string; pk: number; other_pk: number }>`
    select a.username as name, b.username as other, a.pk, b.pk as other_pk from users a
      join users b on b.username_key = a.username_key and b.pk < a.pk where a.username_twin <> ''
    union all select a.email, b.email, a.pk, b.pk from users a
      join users b on b.email_key = a.email_key and b.pk < a.pk where a.email_twin <> '' and lower(a.email) <> lower(b.email)
    union all select a.username, b.email, a.pk, b.pk from users a
      join users b on b.email_key = a.username_key and b.pk <> a.pk
    limit ${maxListed}`.execute(query);
  return rows.map(({ name, other, pk, other_pk }) => `${name} (user ${pk}) and ${other} (user ${other_pk})`);
}
