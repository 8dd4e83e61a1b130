import type { ReactNode } from 'react';

const rounded = { strokeLinecap: 'round', strokeLinejoin: 'round' } as const;

/** Icons of the sign-in page, which loads no library of icons. */
const icon = (paths: ReactNode) => () => (
  <svg
    className="icon"
    viewBox="0 0 24 24"
    width="20"
    height="20"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.75"
    {...rounded}
    aria-hidden="true"
  >
    {paths}
  </svg>
);

export const PasskeyIcon = icon(
  <>
    <circle cx="9" cy="8" r="4" />
    <path d="M2.5 20a6.5 6.5 0 0 1 10-5.5" />
    <circle cx="17.5" cy="13" r="2.5" />
    <path d="M17.5 15.5V21m0-2.5h2" />
  </>,
);

export const CloseIcon = icon(<path d="m6 6 12 12M18 6 6 18" />);

export const GlobeIcon = icon(
  <>
    <circle cx="12" cy="12" r="9" />
    <path d="M3 12h18M12 3c-5 5-5 13 0 18 5-5 5-13 0-18" />
  </>,
);

export const SunIcon = icon(
  <>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 2.5v2m0 15v2m9.5-9.5h-2m-15 0h-2m16.2-6.7-1.4 1.4M6.7 17.3l-1.4 1.4m13.4 0-1.4-1.4M6.7 6.7 5.3 5.3" />
  </>,
);

export const MoonIcon = icon(<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z" />);
