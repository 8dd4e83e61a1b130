import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import { randomUuid } from '../../platform/random.ts';
import type { Registry } from '../../resource/resource.ts';
import type { ImageType } from './image-type.ts';

export const mediaPrefix = '/media/';
const mediaName = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.[a-z]{3,4}$/;

export interface MediaFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly sha256: string;
}

/** Stores an image and returns its URL. The name is generated: no client input becomes part of a path. */
export async function saveMedia(tx: Query, bytes: Buffer, type: ImageType, now: string): Promise<string> {
  const pk = randomUuid();
  await sql`insert into media (pk, type, bytes, sha256, created)
    values (${pk}, ${type.contentType}, ${bytes.toString('base64')}, ${hash('sha256', bytes)}, ${now})`.execute(tx);
  return `${mediaPrefix}${pk}.${type.extension}`;
}

export async function findMedia(name: string, db: Query): Promise<MediaFile | null> {
  const pk = mediaName.exec(name)?.[1];
  if (!pk) return null;
  const { rows } = await sql<{ type: string; bytes: string; sha256: string }>`select type, bytes, sha256 from media
    where pk = ${pk}`.execute(db);
  const [row] = rows;
  return row ? { ...row, bytes: Buffer.from(row.bytes, 'base64') } : null;
}

/**
 * Deletes an uploaded image once no object shows it; the object about to be deleted does not count. Other addresses are
 * not ours to delete.
 */
export async function releaseMedia(
  tx: Query,
  registry: Registry,
  url: unknown,
  leaving?: string | number,
): Promise<void> {
  if (typeof url !== 'string' || !url.startsWith(mediaPrefix)) return;
  const pk = mediaName.exec(url.slice(mediaPrefix.length))?.[1];
  if (!pk) return;
  const others = leaving === undefined ? sql`` : sql` and cast(pk as text) <> ${String(leaving)}`;
  const uses = imageColumns(registry).map(
    ([table, column]) => sql`select 1 from ${sql.table(table)} where ${sql.ref(column)} = ${url}${others}`,
  );
  const isUnused = uses.length > 0 ? sql` and not exists (${sql.join(uses, sql` union all `)})` : sql``;
  await sql`delete from media where pk = ${pk}${isUnused}`.execute(tx);
}

/** All columns with addresses of images. */
function imageColumns({ resources }: Registry): [table: string, column: string][] {
  const columns = new Map<string, [string, string]>();
  for (const { family, table, allFields } of resources) {
    for (const [name, field] of Object.entries(allFields)) {
      if (!field.holdsImage) continue;
      const home = family && Object.hasOwn(family.fields, name) ? family.table : table;
      columns.set(`${home}.${name}`, [home, name]);
    }
  }
  return [...columns.values()];
}
