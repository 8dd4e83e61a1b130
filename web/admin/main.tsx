import { mountPage } from '../page/mount-page.tsx';
import { adminCatalogues } from '../texts/admin/catalogues.ts';
import { fieldCatalogues } from '../texts/fields/catalogues.ts';
import { AdminPage } from './admin-page.tsx';

void mountPage(<AdminPage />, [fieldCatalogues, adminCatalogues]);
