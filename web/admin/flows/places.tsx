import { hrefOf } from '../address.ts';
import { Link } from '../link.tsx';
import { shippedLabel } from '../shipped-labels.ts';

interface Props {
  readonly label: string;
  readonly places: readonly { readonly name: string; readonly path: string }[];
}

/** The label of a shipped flow, else the name. */
function labelOf({ name, path }: { readonly name: string; readonly path: string }): string {
  const [, slug] = /^\/flows\/instances\/([^/]+)\/$/.exec(path) ?? [];
  return shippedLabel(name, slug) ?? name;
}

/** Where a switch takes effect, with links. */
export function Places({ label, places }: Props) {
  if (places.length === 0) return null;
  return (
    <p className="quiet small">
      {label}:{' '}
      {places.map((place, at) => (
        <span key={place.path}>
          {at > 0 && ', '}
          <Link href={hrefOf(place.path)}>
            <bdi>{labelOf(place)}</bdi>
          </Link>
        </span>
      ))}
    </p>
  );
}
