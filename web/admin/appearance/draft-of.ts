import type { Brand } from '../../api/brand.ts';
import { textOf } from '../../api/text-of.ts';
import type { FlowInfo } from '../../flow/challenge.ts';
import type { Identification } from '../../flow/screens/identification.tsx';
import type { Draft } from '../../preview/draft.ts';
import type { Row } from '../api/objects.ts';

/** `stages_identification_preview_retrieve`: what the sign-in page of a flow shows. */
export interface SignIn {
  readonly flow_info: Pick<FlowInfo, 'title' | 'background' | 'layout'>;
  readonly screen: Identification | null;
}

export const noSignIn: SignIn = { flow_info: { layout: 'stacked' }, screen: null };

/** The settings in the free-form attributes of a brand. */
export function settingsOf({ attributes }: Row): { readonly theme: Brand['ui_theme']; readonly locale: string } {
  const settings = membersOf(membersOf(attributes).settings);
  const { base } = membersOf(settings.theme);
  return { theme: base === 'light' || base === 'dark' ? base : 'automatic', locale: textOf(settings.locale) };
}

const membersOf = (value: unknown): Row => (typeof value === 'object' && value !== null ? { ...value } : {});

/** The sign-in page of a brand with these values. */
export function draftOf(values: Row, { flow_info, screen }: SignIn, brand: Brand): Draft {
  const recovery = screen?.recovery_url ?? (values.flow_recovery ? '/' : undefined);
  return {
    brand: {
      ...brand,
      branding_title: textOf(values.branding_title),
      branding_logo: textOf(values.branding_logo),
      branding_favicon: textOf(values.branding_favicon),
    },
    flow: { ...flow_info, cancel_url: '/' },
    screen: screen && { ...screen, ...(recovery && { recovery_url: recovery }) },
  };
}
