import { sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import { isStorable } from '../../resource/fields/well-formed.ts';
import { imageUrl } from '../media/image-address.ts';

/**
 * Name and icon of the application with this slug; null if there is none that people can use. The icon may be empty.
 */
export async function applicationFace(
  query: Query,
  slug: string,
  publicHost: string,
): Promise<{ readonly name: string; readonly icon: string } | null> {
  if (!isStorable(slug)) return null;
  const { rows } = await sql<{ name: string; meta_icon: string | null }>`select name, meta_icon from applications
    where slug = ${slug} and enabled`.execute(query);
  const [found] = rows;
  return found ? { name: found.name, icon: imageUrl(found.meta_icon, publicHost) ?? '' } : null;
}
