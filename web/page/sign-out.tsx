import type { MouseEvent, ReactNode } from 'react';
import { beginSignOut } from '../api/call.ts';
import { redirectComponent } from '../flow/challenge.ts';
import { sendAnswer } from '../flow/executor.ts';
import { rememberSignOut } from '../flow/page-facts.ts';
import { safeAddress } from '../flow/safe-address.ts';
import { t } from '../texts/texts.ts';
import { useBrand } from './mount-page.tsx';

/** Signs the user out by the flow of the brand. Only opening the page of that flow would ask whether they want it. */
export function SignOutLink({ className = 'button', children }: { className?: string; children?: ReactNode }) {
  const { flow_invalidation: slug = 'default-invalidation-flow' } = useBrand();
  const page = `/if/flow/${encodeURIComponent(slug)}/`;

  async function signOut(event: MouseEvent): Promise<void> {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    beginSignOut();
    const challenge = await sendAnswer({ slug, query: '' }, {}).catch(() => null);
    const to = challenge?.component === redirectComponent ? safeAddress(challenge.to) : null;
    if (to) rememberSignOut();
    location.assign(to ?? page);
  }

  return (
    <a className={className} href={page} onClick={(event) => void signOut(event)}>
      {children ?? t('Sign out')}
    </a>
  );
}
