import { Notice } from '../../elements/notice.tsx';
import { t } from '../../texts/texts.ts';
import type { AboveProps } from '../resource-page.ts';

/** Says of a provider that no application uses it, and so nothing comes of it. */
export function Unassigned({ object: { row } }: AboveProps) {
  if (row.assigned_application_slug || row.assigned_backchannel_application_slug) return null;
  // Providers that push users and groups sign nobody in.
  const signsIn = 'assigned_application_slug' in row;
  return (
    <Notice tone="warn">
      {signsIn
        ? t('No application has this provider, so nobody can sign in by it. Choose it in the form of an application.')
        : t('It sends nothing yet. Choose it under “Backchannel providers” in the form of an application.')}
    </Notice>
  );
}
