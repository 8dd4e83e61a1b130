import { Initial } from '../icons/initial.tsx';
import { logos } from './logos.ts';

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
  return (
    <span className="product-logo" data-initial aria-hidden="true">
      <Initial name={name} />
    </span>
  );
}

const namespace = 'http://www.w3.org/2000/svg';
const edge = 24;
const room = 16;

function shape(name: string, attributes: Readonly<Record<string, string | number>>, ...inner: readonly Element[]) {
  const element = document.createElementNS(namespace, name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, String(value));
  element.append(...inner);
  return element;
}

/** The logo of a product as a file: on white, as it is meant; null if there is none. */
export function logoFile(id: string): File | null {
  const logo = logos[id];
  if (!logo) return null;
  const margin = (edge - room) / 2;
  const ground = shape('rect', { width: edge, height: edge, rx: 5, fill: '#fff' });
  const scale = room / edge;
  const place = `matrix(${scale} 0 0 ${scale} ${margin} ${margin})`;
  const picture = shape(
    'svg',
    { viewBox: `0 0 ${edge} ${edge}` },
    ground,
    shape('path', { transform: place, fill: logo.color, d: logo.path }),
  );
  return new File([new XMLSerializer().serializeToString(picture)], `${id}.svg`, { type: 'image/svg+xml' });
}
