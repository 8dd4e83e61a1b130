import './with-beside.css';
import { type ReactNode, Suspense } from 'react';
import { Waiting } from '../../elements/loading.tsx';
import type { BesideProps, ResourcePage } from '../resource-page.ts';

/** The content of a page, with an optional column beside it. */
export function WithBeside({
  Beside,
  values,
  children,
}: Pick<ResourcePage, 'Beside'> & BesideProps & { children: ReactNode }) {
  if (!Beside) return children;
  return (
    <div className="with-beside">
      {children}
      <aside className="with-beside-aside">
        <Suspense fallback={<Waiting />}>
          <Beside values={values} />
        </Suspense>
      </aside>
    </div>
  );
}
