import type { AdminInterface } from '../api/types.ts';
import { t } from '../texts/texts.ts';
import '../elements/surface.css';
import './admin.css';
import { Suspense, useState } from 'react';
import { Loaded, useLoadable, Waiting } from '../elements/loading.tsx';
import { ToastProvider } from '../elements/toast.tsx';
import { FaultBoundary } from '../page/fault-boundary.tsx';
import { useBrand } from '../page/mount-page.tsx';
import { useAddress } from './address.ts';
import { InterfaceContext, readInterface } from './api/interface.ts';
import { createPages, PagesContext } from './api/pages.ts';
import { SavedViewsProvider } from './api/saved-views.tsx';
import { ActingBanner } from './frame/acting-banner.tsx';
import { Header } from './frame/header.tsx';
import { Menu } from './frame/menu.tsx';
import { NoRights } from './frame/no-rights.tsx';
import { Palette } from './frame/palette.tsx';
import { Shortcuts } from './frame/shortcuts.tsx';
import { pageAt } from './routes.tsx';

/** The pages of administrators. */
export function AdminPage() {
  const known = useLoadable(readInterface);
  const [pages] = useState(createPages);
  const { branding_title } = useBrand();
  if (known.answer.state !== 'ready')
    return (
      <main className="admin-waiting">
        <h1 className="visually-hidden">{branding_title}</h1>
        <Loaded {...known}>{() => null}</Loaded>
      </main>
    );
  if (!known.answer.value.has_rights) return <NoRights person={known.answer.value.user} />;
  return (
    <InterfaceContext value={known.answer.value}>
      <PagesContext value={pages}>
        <SavedViewsProvider first={known.answer.value.views}>
          <ToastProvider>
            <a className="skip-link" href="#content">
              {t('Skip to the content')}
            </a>
            <ActingBanner />
            <Header />
            <div className="admin-body">
              <Menu />
              <main className="admin-main" id="content" tabIndex={-1}>
                <Content known={known.answer.value} />
              </main>
            </div>
            <Palette />
            <Shortcuts />
          </ToastProvider>
        </SavedViewsProvider>
      </PagesContext>
    </InterfaceContext>
  );
}

function Content({ known }: { known: AdminInterface }) {
  const { path } = useAddress();
  const { Content, key } = pageAt(path, known);
  return (
    <FaultBoundary key={key} isPart>
      <Suspense fallback={<Waiting />}>{Content}</Suspense>
    </FaultBoundary>
  );
}
