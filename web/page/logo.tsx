import { useState } from 'react';
import { useBrand } from './mount-page.tsx';

/** The logo of the brand, or its title if there is none to show. */
export function Logo() {
  const { branding_logo, branding_title } = useBrand();
  const [isMissing, setMissing] = useState(false);
  if (isMissing) return <span>{branding_title}</span>;
  return <img src={branding_logo} alt={branding_title} onError={() => setMissing(true)} />;
}
