import { sql } from 'kysely';
import type { Language } from '../../lib/texts/languages.ts';
import type { ResourceWorld } from '../../resource/call.ts';
import { findBrandOfHost } from './brand-of-host.ts';
import { defaultBranding } from './branding.ts';
import { type LanguageRequest, languageOf } from './language.ts';
import { type BrandLook, defaultLook, lookOf, type StoredLook } from './look.ts';

interface PageRequest extends LanguageRequest {
  readonly world: Pick<ResourceWorld, 'publicHost'>;
}

/** What plain pages and mails show of the brand, and the caller's language. */
export interface PageFrame {
  /** The brand's title. */
  readonly brand: string;
  readonly look: BrandLook;
  readonly language: Language;
}

export async function pageFrame(asking: PageRequest): Promise<PageFrame> {
  const { request, db, world } = asking;
  const found = await findBrandOfHost(request.host, db.read);
  const { rows } = await sql<StoredLook & { title: string }>`select branding_title as title, branding_logo,
    branding_favicon, branding_default_flow_background, attributes from brands
    where pk = ${found?.pk ?? null}`.execute(db.read);
  const [stored] = rows;
  const brand = stored?.title || defaultBranding.title;
  const look = lookOf(stored ?? defaultLook, world.publicHost);
  // A brand with a title of its own is not shown under our name.
  const isOurs = look.logo === defaultBranding.logo && brand !== defaultBranding.title;
  return {
    brand,
    look: isOurs ? { ...look, logo: null } : look,
    language: await languageOf(asking),
  };
}

/** The same for pages at the host of an application, where our images would not load. */
export async function frameAtApplication(asking: PageRequest): Promise<PageFrame> {
  const frame = await pageFrame(asking);
  return { ...frame, look: { ...frame.look, logo: null, favicon: null, background: null } };
}
