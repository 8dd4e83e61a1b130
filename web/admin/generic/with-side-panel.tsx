import './with-side-panel.css';
import { type ReactNode, Suspense } from 'react';
import { Waiting } from '../../elements/loading.tsx';
import type { ResourcePage, SidePanelProps } from '../resource-page.ts';

/** The content of a page, with an optional column beside it. */
export function WithSidePanel({
  SidePanel,
  values,
  children,
}: Pick<ResourcePage, 'SidePanel'> & SidePanelProps & { children: ReactNode }) {
  if (!SidePanel) return children;
  return (
    <div className="with-side-panel">
      {children}
      <aside className="with-side-panel-aside">
        <Suspense fallback={<Waiting />}>
          <SidePanel values={values} />
        </Suspense>
      </aside>
    </div>
  );
}
