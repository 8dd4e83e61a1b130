import { type BrandColours, brandStyle, brandStylePath, isColour } from '../../lib/brand-colours.ts';
import { isJsonObject } from '../../lib/json.ts';
import type { Complaints } from '../../lib/problem.ts';
import type { PageLook } from '../../platform/http/plain-page.ts';
import type { JsonPart } from '../../resource/document/json-schema.ts';
import { imageUrl } from '../media/image-address.ts';
import { defaultBranding } from './branding.ts';

const themes = ['automatic', 'light', 'dark'] as const;
/** Where the card of the sign-in page stands. */
const layouts = ['centred', 'left', 'right'] as const;

/** What decides how a brand's pages look, as it is stored. */
export interface StoredLook {
  readonly branding_logo: string;
  readonly branding_favicon: string;
  readonly branding_default_flow_background: string;
  /** JSON that administrators write freely: `settings.theme` has the rest. */
  readonly attributes: string;
}

export const defaultLook: StoredLook = {
  branding_logo: defaultBranding.logo,
  branding_favicon: defaultBranding.favicon,
  branding_default_flow_background: '',
  attributes: '{}',
};

export interface BrandLook extends PageLook {
  /** `#rrggbb`, for mails. */
  readonly accent?: string | undefined;
  /** The address of the style sheet with the brand's colours. */
  readonly stylePath: string | null;
}

export function lookOf(stored: StoredLook, publicHost: string): BrandLook {
  const theme = themeOf(JSON.parse(stored.attributes));
  const colours = coloursOf(theme);
  return {
    logo: imageUrl(stored.branding_logo, publicHost) ?? defaultBranding.logo,
    favicon: imageUrl(stored.branding_favicon, publicHost) ?? defaultBranding.favicon,
    background: imageUrl(stored.branding_default_flow_background, publicHost),
    theme: themes.find((one) => one === theme.base) ?? 'automatic',
    layout: layouts.find((one) => one === theme.layout) ?? 'centred',
    accent: colours.accent ?? undefined,
    style: brandStyle(colours),
    stylePath: brandStylePath(colours),
  };
}

const colourMembers = { accent: 'accent', ground: 'background', groundEnd: 'background_end' } as const;

const coloursOf = (theme: Readonly<Record<string, unknown>>): BrandColours => {
  const colour = (name: keyof typeof colourMembers) => {
    const value = theme[colourMembers[name]];
    return isColour(value) ? value : null;
  };
  return { accent: colour('accent'), ground: colour('ground'), groundEnd: colour('groundEnd') };
};

function themeOf(attributes: unknown): Readonly<Record<string, unknown>> {
  const settings = isJsonObject(attributes) ? attributes.settings : null;
  const theme = isJsonObject(settings) ? settings.theme : null;
  return isJsonObject(theme) ? theme : {};
}

/** Colours end up in style sheets, so they are in one form (CSS injection). */
export function themeComplaints(attributes: unknown): Complaints | null {
  const theme = themeOf(attributes);
  const wrong = Object.values(colourMembers).filter((name) => {
    const value = theme[name] ?? '';
    return value !== '' && !isColour(value);
  });
  if (wrong.length === 0) return null;
  return { attributes: wrong.map((name) => `settings.theme.${name} must be a colour such as #3b57d6.`) };
}

const part = (name: string, rest: Omit<JsonPart, 'path'>): JsonPart => ({ path: ['settings', 'theme', name], ...rest });

/** The fields that forms have for them. */
export const themeParts: readonly JsonPart[] = [
  part('base', {
    label: 'Colours',
    help: 'The colour scheme of pages; by default that of the user’s device.',
    choices: ['light', 'dark'],
  }),
  part('accent', {
    label: 'Accent colour',
    help: 'Of buttons and links. Where text would be hard to read, pages use a darker or lighter shade.',
    isColour: true,
  }),
  part('background', {
    label: 'Background colour',
    help: 'Behind the card of the sign-in page, unless there is a background image.',
    isColour: true,
  }),
  part('background_end', {
    label: 'Second background colour',
    help: 'With it, the background is a gradient from the first to the second colour.',
    isColour: true,
  }),
  part('layout', {
    label: 'Layout',
    help: 'Where the sign-in page has its card; by default in the middle. A flow with a layout of its own keeps it.',
    choices: ['left', 'right'],
  }),
];
