import { t } from '../../texts/texts.ts';
import { hrefOf } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { partName } from '../labels.ts';
import { Link } from '../link.tsx';
import { Page } from '../page.tsx';

/** Every kind of object that the caller may see, by the part of the API it belongs to. */
export function Everything() {
  const { resources } = useInterface();
  // One's own devices go by the same names as those of all users.
  const ofAll = resources.map(({ path }) => path).filter((path) => path.startsWith('/authenticators/admin/'));
  const own = new Set(ofAll.map((path) => path.replace('/admin/', '/')));
  const distinct = resources.filter(({ path }) => !own.has(path));
  const byPart = Map.groupBy(distinct, ({ path }) => path.split('/')[1] ?? '');
  return (
    <Page title={t('Everything')} intro={t('Every kind of object there is, by the part of the API it belongs to.')}>
      <div className="everything">
        {[...byPart].map(([part, entries]) => (
          <section key={part} className="card stack" aria-labelledby={`part-${part}`}>
            <h2 id={`part-${part}`}>{partName(part)}</h2>
            <ul className="plain-list">
              {entries.map(({ path, plural }) => (
                <li key={path}>
                  <Link href={hrefOf(path)}>{plural}</Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Page>
  );
}
