import { type ReactNode, useEffect } from 'react';
import { useHeading } from '../page/use-heading.ts';
import { t } from '../texts/texts.ts';
import { useAddress } from './address.ts';
import { entryAt, useInterface } from './api/interface.ts';
import { addRecent } from './frame/recent.ts';
import { Link } from './link.tsx';

interface Crumb {
  readonly text: string;
  readonly href: string;
}

interface Props {
  readonly title: string;
  readonly intro?: ReactNode;
  /** The icon, logo or face of what the page is about. */
  readonly mark?: ReactNode;
  /** The state of what the page is about, beside its name. */
  readonly state?: ReactNode;
  /** The pages above this one. */
  readonly crumbs?: readonly Crumb[];
  /** What can be done with the page as a whole. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of an admin page: breadcrumbs, heading, actions and content. */
export function Page({ title, intro, mark, state, crumbs = [], actions, children }: Props) {
  const heading = useHeading(title);
  useRecent(title, mark !== undefined);
  return (
    <>
      <div className="page-head">
        {crumbs.length > 0 && (
          <nav aria-label={t('Breadcrumb')}>
            <ol className="crumbs small">
              {crumbs.map(({ text, href }) => (
                <li key={href}>
                  <Link href={href}>{text}</Link>
                </li>
              ))}
            </ol>
          </nav>
        )}
        <div className="page-head-row">
          {mark && <div className="page-mark">{mark}</div>}
          <div className="page-title">
            <div className="page-name">
              <h1 ref={heading} tabIndex={-1}>
                <bdi>{title}</bdi>
              </h1>
              {state}
            </div>
            {intro && <p className="quiet">{intro}</p>}
          </div>
          {actions && <div className="row">{actions}</div>}
        </div>
      </div>
      {children}
    </>
  );
}

/** Keeps the objects whose pages were opened, for the command palette. */
function useRecent(title: string, hasMark: boolean): void {
  const { path } = useAddress();
  const { user, resources } = useInterface();
  useEffect(() => {
    const [entry, key] = entryAt(resources, path) ?? [];
    if (hasMark && entry && key) addRecent(user.pk, { path, title, kind: entry.singular });
  }, [title, hasMark, path, user, resources]);
}
