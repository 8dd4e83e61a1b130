import { randomText } from '../../../src/platform/random.ts';
import type { TestServer } from '../../support/server.ts';

export const unique = (word: string): string => `${word}-${randomText(8).toLowerCase()}`;

export async function makeFlow(
  { admin }: TestServer,
  designation: string,
  values: Record<string, unknown> = {},
): Promise<{ pk: string; slug: string; policybindingmodel_ptr_id: string }> {
  const slug = unique(designation);
  const made = await admin.post('/flows/instances/', { name: slug, slug, title: slug, designation, ...values });
  if (made.status !== 201) throw new Error(`no flow: ${made.text}`);
  return made.body;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies freely
export async function makeSource({ admin }: TestServer, kind: string, values: Record<string, unknown>): Promise<any> {
  const slug = unique(kind);
  const made = await admin.post(`/sources/${kind}/`, { name: `Source ${slug}`, slug, ...values });
  if (made.status !== 201) throw new Error(`no source: ${made.text}`);
  return made.body;
}
