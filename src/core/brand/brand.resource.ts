import { sql } from 'kysely';
import { type Complaints, Invalid } from '../../lib/problem.ts';
import { defineResource } from '../../resource/define.ts';
import type { Field, FieldNotes } from '../../resource/fields/field.ts';
import { ref } from '../../resource/fields/ref.ts';
import { boolean } from '../../resource/fields/scalar.ts';
import { json } from '../../resource/fields/structured.ts';
import { text } from '../../resource/fields/text.ts';
import { keyFilter } from '../../resource/list/query.ts';
import type { Action, CheckInput, Resource } from '../../resource/resource.ts';
import { diffOf, recordWrite } from '../../resource/write/audit.ts';
import { releaseImage, uploadAction } from '../media/image-actions.ts';
import { ownRouteComplaint } from '../media/image-address.ts';
import { imageAddress } from '../media/image-field.ts';
import { normalDomain } from './brand-of-host.ts';
import { defaultBranding } from './branding.ts';
import { languagePart } from './language.ts';
import { themeComplaints, themeParts } from './look.ts';

interface BrandResourceNeeds {
  /** Shows the brand of a host with its flows. */
  readonly currentBrand: Action;
}

const flow = (notes: FieldNotes & { readonly protects?: boolean }) =>
  ref('svc_flows.flow', 'uuid', { nullable: true, filter: true, ...notes });
const address = (fallback: string, notes: FieldNotes & { readonly blank?: boolean }) =>
  imageAddress(fallback, { filter: true, ...notes });
const model = 'svc_brands.brand';
const images = ['branding_logo', 'branding_favicon', 'branding_default_flow_background'] as const;
const upload = (column: string, title: string, fallback: string) =>
  uploadAction({ model, column, field: column, title, fallback, reaches: 'sign-in' });

/** The look and the flows of the server on one domain. */
export function brandResource({ currentBrand }: BrandResourceNeeds): Resource {
  return defineResource({
    path: '/core/brands/',
    param: 'brand_uuid',
    key: 'uuid',
    keyName: 'brand_uuid',
    model,
    schema: 'Brand',
    names: ['Brand', 'Brands'],
    table: 'brands',
    reaches: 'sign-in',
    signsIn: 'always',
    order: ['domain'],
    page: { columns: ['domain', 'branding_title', 'default'] },
    search: ['domain', 'branding_title'],
    filters: { brand_uuid: keyFilter },
    nameOf: (row) => `Brand ${row.domain}`,
    fields: {
      domain: domain(),
      default: boolean({
        default: false,
        filter: true,
        help: 'Used for hosts that match no other brand. There is exactly one default brand.',
      }),
      branding_title: text({
        default: defaultBranding.title,
        filter: true,
        help: 'The title of pages.',
        isObvious: true,
        group: 'Branding',
      }),
      branding_logo: address(defaultBranding.logo, {
        help: 'The logo on pages: an address or a path on this server.',
        group: 'Branding',
      }),
      branding_favicon: address(defaultBranding.favicon, {
        help: 'The icon in browser tabs: an address or a path on this server.',
        group: 'Branding',
      }),
      branding_default_flow_background: address('', {
        label: 'Background image',
        blank: true,
        help: 'The image behind the card of the sign-in page: an address or a path on this server. A flow with one of its own keeps it.',
        group: 'Branding',
      }),
      // Without it, no administrator could sign in to undo the deletion.
      flow_authentication: flow({
        help: 'The flow by which people sign in.',
        isObvious: true,
        group: 'Flows',
        protects: true,
      }),
      flow_invalidation: flow({ help: 'The flow by which people sign out.', group: 'Flows' }),
      flow_recovery: flow({ help: 'The flow for forgotten passwords; empty turns recovery off.', group: 'Flows' }),
      flow_unenrollment: flow({
        help: 'The flow by which people delete their account; empty turns it off.',
        group: 'Flows',
      }),
      flow_user_settings: flow({ help: 'The flow by which people change their own data.', group: 'Flows' }),
      flow_device_code: flow({
        help: 'The flow behind the page for device codes; empty turns it off.',
        group: 'Flows',
      }),
      default_application: ref('svc_core.application', 'uuid', {
        nullable: true,
        help: 'Where external users go once they have signed in.',
      }),
      web_certificate: ref('svc_crypto.certificatekeypair', 'uuid', {
        nullable: true,
        filter: true,
        needs: 'use',
        help: 'The certificate for TLS on this domain.',
        group: 'Advanced',
      }),
      attributes: json({
        default: () => ({}),
        help: 'Custom attributes of the brand, for expressions and pages.',
        group: 'Branding',
        parts: [
          ...themeParts,
          languagePart('The language of people who have chosen none; by default that of their browser.'),
        ],
      }),
    },
    check: async (input) =>
      (await checkImages(input)) ?? themeComplaints(input.values.attributes) ?? (await oneDefault(input)),
    async afterWrite(input) {
      if (input.verb === 'destroy' && input.current?.default) {
        throw Invalid.whole('The default brand cannot be deleted. Make another brand the default first.');
      }
      for (const column of images) await releaseImage(column, input);
    },
    actions: [
      currentBrand,
      upload('branding_logo', 'logo', defaultBranding.logo),
      upload('branding_favicon', 'browser icon', defaultBranding.favicon),
      upload('branding_default_flow_background', 'background image', ''),
    ],
  });
}

function domain(): Field<string> {
  const field = text({
    unique: 'Brand with this domain already exists.',
    filter: true,
    help: 'The domain this brand is for, with everything below it.',
  });
  return {
    ...field,
    parse(value) {
      const parsed = field.parse(value);
      return 'value' in parsed ? { value: normalDomain(parsed.value) } : parsed;
    },
  };
}

async function checkImages({ tx, call, values, current }: CheckInput): Promise<Complaints | null> {
  const complaints: Complaints = {};
  for (const name of images) {
    const address = values[name];
    if (typeof address !== 'string' || address === '' || address === current?.[name]) continue;
    const complaint = await ownRouteComplaint(address, call.world.publicHost, tx);
    if (complaint) complaints[name] = [complaint];
  }
  return Object.keys(complaints).length > 0 ? complaints : null;
}

/** Hosts that match no brand use the default one. Another brand can become the default; the default cannot be unset. */
async function oneDefault({ tx, call, registry, values, current }: CheckInput) {
  if (current?.default && !values.default) {
    return { default: ['There must be a default brand. Make another brand the default instead.'] };
  }
  if (!values.default || current?.default) return null;
  await call.db.dialect.exclusive('default brand')?.execute(tx);
  const { rows } = await sql<{ pk: string; domain: string }>`update brands set "default" = ${false} where "default"
    returning pk, domain`.execute(tx);
  const brands = registry.require(model);
  for (const { pk, domain } of rows) {
    const diff = diffOf(brands, { default: true }, { default: false });
    await recordWrite('model_updated', { resource: brands, pk, values: { pk, domain }, diff, call, tx });
  }
  return null;
}
