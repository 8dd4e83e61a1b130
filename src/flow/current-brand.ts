import { sql } from 'kysely';
import { findBrandOfHost } from '../core/brand/brand-of-host.ts';
import { defaultBranding } from '../core/brand/branding.ts';
import { defaultLook, lookOf, type StoredLook } from '../core/brand/look.ts';
import type { Settings } from '../core/settings/settings.ts';
import type { Query } from '../platform/db/database.ts';
import type { ResourceWorld } from '../resource/call.ts';
import { arrayOf, type JsonSchema, objectSchema, orNull, stringSchema } from '../resource/document/json-schema.ts';
import type { Row } from '../resource/fields/field.ts';
import type { Action } from '../resource/resource.ts';
import { brandFlowColumns, brandFlowNames } from './brand-flows.ts';

const always = objectSchema({
  matched_domain: stringSchema,
  branding_title: stringSchema,
  branding_logo: stringSchema,
  branding_favicon: stringSchema,
  ui_footer_links: arrayOf(objectSchema({ href: orNull(stringSchema), name: stringSchema })),
  ui_theme: { type: 'string', enum: ['automatic', 'light', 'dark'] },
  ui_layout: { type: 'string', enum: ['centred', 'left', 'right'] },
  ui_background: orNull(stringSchema),
  ui_style: orNull(stringSchema),
  default_locale: stringSchema,
});
const schema: JsonSchema = {
  ...always,
  properties: { ...always.properties, ...Object.fromEntries(brandFlowNames.map((name) => [name, stringSchema])) },
};

/** What pages need before sign-in: branding, links, and the slugs of flows. */
export function currentBrandAction(settings: { current(): Promise<Settings> }): Action {
  return {
    name: 'current',
    on: 'set',
    method: 'GET',
    page: { noButton: 'Every page reads it.' },
    summary: 'Read the brand of the host that the request came for',
    access: 'anyone',
    answer: { status: 200, schema, schemaName: 'CurrentBrand' },
    run: async ({ call, tx }) => currentBrand(call.request.host, tx, await settings.current(), call.world),
  };
}

export async function currentBrand(
  host: string,
  query: Query,
  settings: Settings,
  { publicHost }: Pick<ResourceWorld, 'publicHost'>,
): Promise<Row> {
  const found = await findBrandOfHost(host, query);
  const brand = found && (await loadBrand(found.pk, query));
  return brandView(brand ?? fallbackBrand, settings, publicHost);
}

interface BrandRow extends StoredLook {
  readonly domain: string;
  readonly branding_title: string;
}

/** Used if administrators have deleted the default brand. */
const fallbackBrand: BrandRow = {
  ...defaultLook,
  domain: 'fallback',
  branding_title: defaultBranding.title,
};

async function loadBrand(pk: string, query: Query): Promise<BrandRow | undefined> {
  const { rows } = await sql<BrandRow>`select b.domain, b.branding_title, b.branding_logo, b.branding_favicon,
    b.branding_default_flow_background, b.attributes, ${brandFlowColumns} from brands b where b.pk = ${pk}`.execute(
    query,
  );
  return rows[0];
}

function brandView(brand: BrandRow, { footer_links }: Settings, publicHost: string): Row {
  const { settings }: { settings?: BrandSettings } = JSON.parse(brand.attributes);
  const look = lookOf(brand, publicHost);
  const isFlow = (name: string) => brandFlowNames.some((flow) => flow === name);
  const slugs = Object.entries(brand).filter(([name, slug]) => isFlow(name) && slug !== null);
  return {
    matched_domain: brand.domain,
    branding_title: brand.branding_title,
    branding_logo: look.logo,
    branding_favicon: look.favicon,
    ui_footer_links: footer_links,
    ui_theme: look.theme,
    ui_layout: look.layout,
    ui_background: look.background,
    ui_style: look.stylePath,
    ...Object.fromEntries(slugs),
    default_locale: typeof settings?.locale === 'string' ? settings.locale : '',
  };
}

/** Optional attributes of a brand; administrators write them freely, so none is guaranteed. */
interface BrandSettings {
  readonly locale?: unknown;
}
