import { accentTones, contrast } from '../../../src/lib/brand-colours.ts';
import { pageLocale } from '../../texts/page-language.ts';
import { t } from '../../texts/texts.ts';

const surfaces = { light: '#ffffff', dark: '#1b1f29' } as const;

/** The shades of an accent that pages use, with their contrast (WCAG 2.2 asks for 4.5 : 1). */
export function AccentContrast({ accent }: { accent: string }) {
  return (
    <ul className="accent-contrast small">
      {(['light', 'dark'] as const).map((theme) => (
        <Shades key={theme} accent={accent} theme={theme} />
      ))}
    </ul>
  );
}

function Shades({ accent, theme }: { accent: string; theme: 'light' | 'dark' }) {
  const tones = accentTones(accent, theme);
  const isCorrected = [tones.accent, tones.ground].some((tone) => tone.toLowerCase() !== accent.toLowerCase());
  return (
    <li>
      <span>{theme === 'light' ? t('Light') : t('Dark')}</span>
      <span className="accent-shade" style={{ background: tones.ground, color: tones.onAccent }}>
        {t('Button')} {ratio(tones.onAccent, tones.ground)}
      </span>
      <span className="accent-shade" style={{ background: surfaces[theme], color: tones.accent }}>
        {t('Link')} {ratio(tones.accent, surfaces[theme])}
      </span>
      {isCorrected && <span className="quiet">{t('corrected for contrast')}</span>}
    </li>
  );
}

const ratio = (one: string, other: string): string =>
  `${new Intl.NumberFormat(pageLocale(), { maximumFractionDigits: 1 }).format(contrast(one, other))} : 1`;
