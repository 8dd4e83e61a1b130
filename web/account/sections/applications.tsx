import type { Application } from '../../api/types.ts';
import { t } from '../../texts/texts.ts';
import './applications.css';
import { useState } from 'react';
import { TextField } from '../../elements/field.tsx';
import { Loaded, useLoadable } from '../../elements/loading.tsx';
import { Empty, readAll } from '../listing.tsx';
import { isAdministrator, usePerson } from '../person.ts';
import { Picture } from '../picture.tsx';
import { Section } from '../section.tsx';

/** From this many on, searching is faster than scanning. */
const manyApplications = 8;

/** The applications that the user may open. */
export function Applications() {
  const applications = useLoadable(readApplications);
  const [term, setTerm] = useState('');
  return (
    <Section title={t('Applications')}>
      <Loaded {...applications}>
        {(all) => {
          if (all.length === 0) return <NoApplications />;
          const found = all.filter((application) => matches(application, term));
          return (
            <>
              {all.length >= manyApplications && (
                <search className="search">
                  <TextField
                    type="search"
                    label={t('Search applications')}
                    value={term}
                    onChange={(event) => setTerm(event.target.value)}
                  />
                  <p className="visually-hidden" role="status">
                    {term &&
                      t('{found, number} of {all, plural, one {# application} other {# applications}}', {
                        found: found.length,
                        all: all.length,
                      })}
                  </p>
                </search>
              )}
              {found.length === 0 && <Empty>{t('No application matches “{term}”.', { term })}</Empty>}
              {[...groupsOf(found)].map(([group, members]) => (
                <Group key={group} name={group} applications={members} />
              ))}
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

/** Administrators of a new server begin here: they are led on. */
function NoApplications() {
  return (
    <Empty>
      <p>{t('There are no applications for you yet.')}</p>
      {isAdministrator(usePerson()) && (
        <a className="button button-primary" href="/if/admin/">
          {t('Set up this server')}
        </a>
      )}
    </Empty>
  );
}

/** Leaves out applications without a web address. */
async function readApplications(): Promise<readonly Application[]> {
  const all = await readAll<Application>('/core/applications/?only_with_launch_url=true');
  return all.filter(({ launch_url }) => launch_url !== null);
}

function matches({ name, group, meta_description, meta_publisher }: Application, term: string): boolean {
  const text = [name, group, meta_description, meta_publisher].join('\n').toLocaleLowerCase();
  return term
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Applications without a group come first. */
function groupsOf(applications: readonly Application[]): Map<string, Application[]> {
  const groups = Map.groupBy(applications, ({ group }) => group);
  return new Map([...groups].sort(([left], [right]) => left.localeCompare(right)));
}

function Group({ name, applications }: { name: string; applications: readonly Application[] }) {
  return (
    <section className="stack" aria-label={name || t('Applications')}>
      {name && <h2>{name}</h2>}
      <ul className="tiles">
        {applications.map((application) => (
          <li key={application.pk}>
            <Tile {...application} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Tile({ name, launch_url, open_in_new_tab, meta_icon, meta_description, meta_publisher }: Application) {
  const isElsewhere = open_in_new_tab ? { target: '_blank', rel: 'noopener noreferrer' } : {};
  return (
    <a className="tile" href={launch_url ?? undefined} {...isElsewhere}>
      <Picture address={meta_icon} name={name} />
      <span className="tile-text">
        <strong>{name}</strong>
        {(meta_description || meta_publisher) && (
          <span className="quiet small">{meta_description || meta_publisher}</span>
        )}
        {open_in_new_tab && <span className="visually-hidden"> {t('(opens in a new window)')}</span>}
      </span>
    </a>
  );
}
