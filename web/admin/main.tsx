import { mountPage } from '../page/mount-page.tsx';
import { AdminPage } from './admin-page.tsx';

void mountPage(<AdminPage />);
