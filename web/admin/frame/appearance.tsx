import { SunMoon } from 'lucide-react';
import { LabelledSegments } from '../../elements/labelled-segments.tsx';
import { Popover } from '../../elements/popover.tsx';
import { useStoredChoice } from '../../page/stored-choice.ts';
import { ThemeChoice } from '../../page/theme-choice.tsx';
import { t } from '../../texts/texts.ts';

const densities = { compact: 'Compact', comfortable: 'Comfortable' } as const;

/** The theme and the density of the pages, stored in the browser. */
export function Appearance() {
  const [density, setDensity] = useStoredChoice('density', densities, 'compact');
  return (
    <Popover label={t('Appearance')} icon={<SunMoon className="icon" />}>
      <ThemeChoice />
      <LabelledSegments label={t('Density')} names={densities} value={density} onChange={setDensity} />
    </Popover>
  );
}
