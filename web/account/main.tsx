import { mountPage } from '../page/mount-page.tsx';
import { AccountPage } from './account-page.tsx';

void mountPage(<AccountPage />);
