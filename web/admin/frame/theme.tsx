import { useBrand } from '../../page/mount-page.tsx';
import { isTheme, themes, useTheme } from '../../page/theme.ts';
import { t } from '../../texts/texts.ts';

/** The colour theme, stored in the browser; the brand's by default. */
export function ThemeChoice() {
  const { ui_theme } = useBrand();
  const [theme, choose] = useTheme(ui_theme);
  return (
    <label className="admin-theme">
      <span className="visually-hidden">{t('Colours')}</span>
      <select
        className="input"
        value={theme}
        onChange={({ currentTarget: { value } }) => isTheme(value) && choose(value)}
      >
        {Object.entries(themes).map(([value, label]) => (
          <option key={value} value={value}>
            {t(label)}
          </option>
        ))}
      </select>
    </label>
  );
}
