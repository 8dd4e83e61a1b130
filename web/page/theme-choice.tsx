import { LabelledSegments } from '../elements/labelled-segments.tsx';
import { t } from '../texts/texts.ts';
import { useBrand } from './mount-page.tsx';
import { themes, useTheme } from './theme.ts';

/** The theme of the pages in this browser; the brand's by default. */
export function ThemeChoice() {
  const { ui_theme } = useBrand();
  const [theme, setTheme] = useTheme(ui_theme);
  return <LabelledSegments label={t('Colours')} names={themes} value={theme} onChange={setTheme} />;
}
