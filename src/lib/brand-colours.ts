/** `#rrggbb`; the only form that reaches a style sheet (CSS injection). */
export const isColour = (text: unknown): text is string => typeof text === 'string' && /^#[0-9a-f]{6}$/i.test(text);

/** Red, green or blue, 0 to 255. */
const channel = (colour: string, at: 0 | 1 | 2): number => Number.parseInt(colour.slice(1 + 2 * at, 3 + 2 * at), 16);

const channels = [0, 1, 2] as const;

const mix = (colour: string, other: string, share: number): string => {
  const mixed = channels.map((at) => Math.round(channel(colour, at) * (1 - share) + channel(other, at) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
};

/** WCAG 2.2, relative luminance. */
function luminance(colour: string): number {
  const linear = (at: 0 | 1 | 2) => {
    const part = channel(colour, at) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(0) + 0.7152 * linear(1) + 0.0722 * linear(2);
}

/** WCAG 2.2, contrast ratio: 1 to 21. */
export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const black = '#000000';
const white = '#ffffff';
/** Text on buttons in a bright colour. */
const ink = '#0d1017';

/** The colour, moved towards another until it has the contrast to all of these. */
function moved(colour: string, towards: string, grounds: readonly string[], least: number): string {
  for (let share = 0; share < 1; share += 0.04) {
    const candidate = mix(colour, towards, share);
    if (grounds.every((ground) => contrast(candidate, ground) >= least)) return candidate;
  }
  return towards;
}

interface Side {
  /** What links and icons of this colour stand on (`web/page/tokens.css`). */
  readonly grounds: readonly string[];
  readonly surface: string;
  readonly tintShare: number;
  /** Away from the grounds. */
  readonly towards: string;
}

const sides: Readonly<Record<'light' | 'dark', Side>> = {
  light: { grounds: ['#f1f3f7', '#f4f5f8', white], surface: white, tintShare: 0.9, towards: black },
  dark: { grounds: ['#222735', '#1b1f29', '#12151c'], surface: '#1b1f29', tintShare: 0.82, towards: white },
};

/** The accent of one theme, each colour with at least 4.5 : 1 to what it stands on or what stands on it. */
export interface AccentTones {
  readonly accent: string;
  readonly accentStrong: string;
  readonly ground: string;
  readonly groundStrong: string;
  readonly onAccent: string;
  readonly tint: string;
}

export function accentTones(colour: string, theme: 'light' | 'dark'): AccentTones {
  const { grounds, surface, tintShare, towards } = sides[theme];
  const tint = mix(colour, surface, tintShare);
  const accent = moved(colour, towards, [...grounds, tint], 4.5);
  // A button has to be seen on the card.
  const visible = moved(colour, towards, [surface], 1.25);
  const takesWhite = contrast(visible, white) >= 3;
  const onAccent = takesWhite ? white : ink;
  const ground = moved(visible, takesWhite ? black : white, [onAccent], 4.5);
  const groundStrong = mix(ground, takesWhite ? black : white, 0.15);
  return { accent, accentStrong: mix(accent, towards, 0.2), ground, groundStrong, onAccent, tint };
}

/** The colours that a brand has chosen; null for those of the program. */
export interface BrandColours {
  readonly accent: string | null;
  readonly ground: string | null;
  /** With it, the ground is a gradient. */
  readonly groundEnd: string | null;
}

/** A style sheet that sets them; empty where none is chosen. */
export function brandStyle({ accent, ground, groundEnd }: BrandColours): string {
  const rules: string[] = [];
  if (accent) {
    const light = accentTones(accent, 'light');
    const dark = accentTones(accent, 'dark');
    const both = (tone: keyof AccentTones) => `light-dark(${light[tone]},${dark[tone]})`;
    rules.push(`--accent:${both('accent')}`, `--accent-strong:${both('accentStrong')}`);
    rules.push(`--accent-ground:${both('ground')}`, `--accent-ground-strong:${both('groundStrong')}`);
    rules.push(`--on-accent:${both('onAccent')}`, `--accent-tint:${both('tint')}`);
  }
  if (ground && groundEnd) rules.push(`--brand-ground:linear-gradient(160deg,${ground},${groundEnd})`);
  else if (ground) rules.push(`--brand-ground:${ground}`);
  return rules.length > 0 ? `:root{${rules.join(';')}}` : '';
}

const unset = '0';
const pathPattern = /^\/static\/brand\/([0-9a-f]{6}|0)-([0-9a-f]{6}|0)-([0-9a-f]{6}|0)\.css$/;

/**
 * The address of that style sheet. It names the colours, so that it never goes stale in a cache. Null where none is
 * chosen.
 */
export function brandStylePath({ accent, ground, groundEnd }: BrandColours): string | null {
  const parts = [accent, ground, groundEnd].map((colour) => colour?.slice(1).toLowerCase() ?? unset);
  return parts.every((part) => part === unset) ? null : `/static/brand/${parts.join('-')}.css`;
}

/** The style sheet at an address; null if there is none. */
export function brandStyleAt(path: string): string | null {
  const parts = pathPattern.exec(path)?.slice(1);
  if (!parts) return null;
  const [accent = null, ground = null, groundEnd = null] = parts.map((part) => (part === unset ? null : `#${part}`));
  return brandStyle({ accent, ground, groundEnd });
}
