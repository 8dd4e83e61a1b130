import { SunMoon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useBrand } from '../../page/mount-page.tsx';
import { type Theme, themes } from '../../page/theme.ts';
import { type Text, t } from '../../texts/texts.ts';
import { Segments } from '../parts/segments.tsx';
import { Popover } from './popover.tsx';

const densities = { compact: 'Compact', comfortable: 'Comfortable' } as const;

/** The theme and the density of the pages, stored in the browser. The theme is the brand's by default. */
export function Appearance() {
  const { ui_theme } = useBrand();
  const [theme, setTheme] = useStored('theme', themes, ui_theme);
  const [density, setDensity] = useStored('density', densities, 'compact');
  return (
    <Popover label={t('Appearance')} icon={<SunMoon className="icon" />}>
      <Choice label={t('Colours')} names={themes} value={theme} onChange={setTheme} />
      <Choice label={t('Density')} names={densities} value={density} onChange={setDensity} />
    </Popover>
  );
}

interface ChoiceProps<V extends string> {
  readonly label: string;
  readonly names: Readonly<Record<V, Text>>;
  readonly value: V;
  onChange(value: V): void;
}

function Choice<V extends string>({ label, names, value, onChange }: ChoiceProps<V>) {
  const choices = (Object.keys(names) as V[]).map((one) => [one, t(names[one])] as const);
  return (
    <div className="stack-tight">
      <p className="small quiet" aria-hidden="true">
        {label}
      </p>
      <Segments {...{ label, value, choices, onChange }} />
    </div>
  );
}

const keyOf = (name: string) => `gatehouse:${name}`;

/** Chooses a theme from elsewhere on the page. */
export const chooseTheme = (theme: Theme): void => store('theme', theme);

/** Dispatches the event in this window, too: browsers dispatch it in the others. */
function store(name: string, value: string): void {
  const key = keyOf(name);
  localStorage.setItem(key, value);
  dispatchEvent(new StorageEvent('storage', { key, newValue: value }));
}

/** One of some values, kept in the browser and set on the document, for style sheets. */
function useStored<V extends string>(
  name: string,
  names: Readonly<Record<V, Text>>,
  otherwise: V,
): [V, (value: V) => void] {
  const key = keyOf(name);
  const [stored, setStored] = useState(() => localStorage.getItem(key));
  const value = stored !== null && Object.hasOwn(names, stored) ? (stored as V) : otherwise;
  useEffect(() => {
    document.documentElement.dataset[name] = value;
  }, [name, value]);
  useEffect(() => {
    const listen = (event: StorageEvent) => event.key === key && setStored(event.newValue);
    addEventListener('storage', listen);
    return () => removeEventListener('storage', listen);
  }, [key]);
  return [value, (chosen) => store(name, chosen)];
}
