import { useEffect, useState } from 'react';
import { useBrand } from '../../page/mount-page.tsx';
import { t } from '../../texts/texts.ts';

const themes = { automatic: 'Automatic', light: 'Light', dark: 'Dark' } as const;
type Theme = keyof typeof themes;
const key = 'gatehouse:theme';

const isTheme = (text: string | null): text is Theme => text !== null && Object.hasOwn(themes, text);

/** The colour theme, stored in the browser; the brand's by default. */
export function ThemeChoice() {
  const { ui_theme } = useBrand();
  const [theme, setTheme] = useState<Theme>(() => {
    const stored = localStorage.getItem(key);
    return isTheme(stored) ? stored : ui_theme;
  });
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  function choose(chosen: string): void {
    if (!isTheme(chosen)) return;
    localStorage.setItem(key, chosen);
    setTheme(chosen);
  }
  return (
    <label className="admin-theme">
      <span className="visually-hidden">{t('Colours')}</span>
      <select className="input" value={theme} onChange={(event) => choose(event.currentTarget.value)}>
        {Object.entries(themes).map(([value, label]) => (
          <option key={value} value={value}>
            {t(label)}
          </option>
        ))}
      </select>
    </label>
  );
}
