import { useEffect } from 'react';
import { useBrand } from '../../page/mount-page.tsx';
import type { Person } from '../api/interface.ts';

/** For people who came here and have nothing to administer. */
export function NoRights({ person }: { person: Person }) {
  const { branding_title, flow_invalidation = 'default-invalidation-flow' } = useBrand();
  const title = 'Nothing to administer';
  useEffect(() => {
    document.title = `${title} · ${branding_title}`;
  }, [branding_title]);
  return (
    <main className="fault">
      <h1>{title}</h1>
      <p>
        These pages are for administrators, and the account <strong>{person.username}</strong> has no rights here. Your
        own applications, devices and tokens are on your account page.
      </p>
      <p className="quiet">
        If you should have rights, ask an administrator to add you to a group that brings them, then load this page
        again.
      </p>
      <div className="row">
        <a className="button button-primary" href="/if/user/">
          Go to your account
        </a>
        <a className="button" href={`/if/flow/${encodeURIComponent(flow_invalidation)}/`}>
          Sign in as somebody else
        </a>
      </div>
    </main>
  );
}
