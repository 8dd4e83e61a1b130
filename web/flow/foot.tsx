import { GlobeIcon, MoonIcon, SunIcon } from '../elements/icons.tsx';
import { useBrand } from '../page/mount-page.tsx';
import { isDark, useTheme } from '../page/theme.ts';
import { languages } from '../texts/languages.ts';
import { pageLanguage } from '../texts/page-language.ts';
import { t } from '../texts/texts.ts';
import { pageFacts } from './page-facts.ts';
import { safeAddress } from './safe-address.ts';
import { languageName } from './screens/locales.ts';

/** Below the card: the links of the operator, the language of the page and its colours. */
export function Foot() {
  const { ui_footer_links: links } = useBrand();
  return (
    <footer className="frame-footer">
      {links.map(({ name, href }) => {
        const address = safeAddress(href);
        return address ? (
          <a key={name} href={address}>
            {name}
          </a>
        ) : (
          <span key={name}>{name}</span>
        );
      })}
      {!pageFacts().hasLanguage && <LanguageChoice />}
      <DarkSwitch />
    </footer>
  );
}

const year = 365 * 24 * 60 * 60;

function LanguageChoice() {
  function choose(language: string): void {
    // The server writes the next document in it.
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in all browsers
    document.cookie = `gatehouse_language=${language}; path=/; max-age=${year}; samesite=lax`;
    location.reload();
  }
  return (
    <label className="frame-language">
      <GlobeIcon />
      <span className="visually-hidden">{t('Language')}</span>
      <select value={pageLanguage()} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {languages.map((one) => (
          <option key={one} value={one} lang={one}>
            {languageName(one)}
          </option>
        ))}
      </select>
    </label>
  );
}

function DarkSwitch() {
  const { ui_theme } = useBrand();
  const [theme, choose] = useTheme(ui_theme);
  const dark = isDark(theme);
  const words = dark ? t('Use light colours') : t('Use dark colours');
  return (
    <button type="button" className="frame-dark" title={words} onClick={() => choose(dark ? 'light' : 'dark')}>
      {dark ? <SunIcon /> : <MoonIcon />}
      <span className="visually-hidden">{words}</span>
    </button>
  );
}
