import { type BrandColours, brandStylePath, isColour } from '../../../src/lib/brand-colours.ts';
import { textOf } from '../../api/text-of.ts';
import type { CurrentBrand, SignInPreview } from '../../api/types.ts';
import type { Draft } from '../../preview/draft.ts';
import type { Row } from '../api/objects.ts';

export const noSignIn: SignInPreview = {
  flow_info: { title: '', background: '', layout: 'stacked' },
  screen: null,
};

/** The settings in the free-form attributes of a brand. */
export function settingsOf({ attributes }: Row): BrandSettings {
  const settings = membersOf(membersOf(attributes).settings);
  const { base, layout, accent, background, background_end } = membersOf(settings.theme);
  return {
    theme: base === 'light' || base === 'dark' ? base : 'automatic',
    locale: textOf(settings.locale),
    layout: layout === 'left' || layout === 'right' ? layout : 'centred',
    colours: { accent: colourOf(accent), ground: colourOf(background), groundEnd: colourOf(background_end) },
  };
}

interface BrandSettings {
  readonly theme: CurrentBrand['ui_theme'];
  readonly locale: string;
  readonly layout: CurrentBrand['ui_layout'];
  readonly colours: BrandColours;
}

const colourOf = (value: unknown): string | null => (isColour(value) ? value : null);

const membersOf = (value: unknown): Row => (typeof value === 'object' && value !== null ? { ...value } : {});

/** The sign-in page of a brand with these values. */
export function draftOf(values: Row, { flow_info, screen }: SignInPreview, brand: CurrentBrand): Draft {
  const { layout, colours } = settingsOf(values);
  const recovery = screen?.recovery_url ?? (values.flow_recovery ? '/' : undefined);
  return {
    brand: {
      ...brand,
      branding_title: textOf(values.branding_title),
      branding_logo: textOf(values.branding_logo),
      branding_favicon: textOf(values.branding_favicon),
      ui_background: textOf(values.branding_default_flow_background) || null,
      ui_layout: layout,
      ui_style: brandStylePath(colours),
    },
    flow: { ...flow_info, cancel_url: '/' },
    screen: screen && { ...screen, ...(recovery && { recovery_url: recovery }) },
  };
}
