import './form.css';
import { hrefOf } from '../address.ts';
import { type ResourceEntry, useInterface } from '../api/interface.ts';
import { Link } from '../link.tsx';

/** The kinds of a family that can be made. */
export function KindChoice({ entry }: { entry: ResourceEntry }) {
  const { resources } = useInterface();
  const kinds = entry.kinds.flatMap((path) => resources.find((other) => other.path === path) ?? []);
  return (
    <ul className="tiles kinds">
      {kinds
        .toSorted((one, other) => one.singular.localeCompare(other.singular))
        .map(({ path, singular, description }) => (
          <li key={path}>
            <Link className="card kind" href={hrefOf(`/new${path}`)}>
              <strong>{singular}</strong>
              <span className="quiet small">{description}</span>
            </Link>
          </li>
        ))}
    </ul>
  );
}
