import { hrefOf } from '../address.ts';
import { useInterface } from '../api/interface.ts';
import { menuFor } from '../frame/menu-list.ts';
import { Link } from '../link.tsx';
import { Page } from '../page.tsx';

/** The ways on from here. */
export function Start() {
  const known = useInterface();
  return (
    <Page title={`Welcome, ${known.user.name || known.user.username}`} intro={`Gatehouse ${known.version}`}>
      <div className="tiles">
        {menuFor(known).map(({ title, items }) => (
          <section key={title} className="card stack" aria-labelledby={`start-${title}`}>
            <h2 id={`start-${title}`}>{title}</h2>
            <ul className="plain-list">
              {items.map((item) => (
                <li key={item.path}>
                  <Link href={hrefOf(item.path)}>{item.title}</Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Page>
  );
}
