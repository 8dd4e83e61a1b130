import type { CurrentBrand } from '../api/types.ts';
import { keyOf, storeChoice, useStoredChoice } from './stored-choice.ts';

export const themes = { automatic: 'Automatic', light: 'Light', dark: 'Dark' } as const;
export type Theme = CurrentBrand['ui_theme'];

const name = 'theme';
const stored = keyOf(name);

export const isTheme = (text: unknown): text is Theme => typeof text === 'string' && Object.hasOwn(themes, text);

const storedTheme = (): Theme | null => {
  const chosen = localStorage.getItem(stored);
  return isTheme(chosen) ? chosen : null;
};

/** Shows the page in the theme that is chosen in this browser, here or in another window; the brand's by default. */
export function applyTheme(): void {
  const show = () => {
    const theme = storedTheme();
    if (theme) document.documentElement.dataset.theme = theme;
  };
  show();
  addEventListener('storage', ({ key }) => key === stored && show());
}

/** The chosen theme, stored in the browser. */
export const useTheme = (ofBrand: Theme) => useStoredChoice(name, themes, ofBrand);

export const chooseTheme = (theme: Theme): void => storeChoice(name, theme);

/** Whether the page is dark now: by its theme, else by the system. */
export const isDark = (theme: Theme): boolean =>
  theme === 'automatic' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
