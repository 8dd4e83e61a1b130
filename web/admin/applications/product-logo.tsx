import { logos } from './logos.ts';

const tones = 5;

/** The logo of a product, or its initial in a colour of its own. */
export function ProductLogo({ id, name }: { id: string; name: string }) {
  const logo = logos[id];
  if (logo)
    return (
      <span className="product-logo" aria-hidden="true">
        <svg viewBox="0 0 24 24" fill={logo.color} role="presentation">
          <path d={logo.path} />
        </svg>
      </span>
    );
  const tone = [...id].reduce((sum, sign) => sum + sign.charCodeAt(0), 0) % tones;
  return (
    <span className="product-logo product-initial" data-tone={tone} aria-hidden="true">
      {name.charAt(0)}
    </span>
  );
}
