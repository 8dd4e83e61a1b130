import { mountPage } from '../page/mount-page.tsx';
import { PreviewPage } from './preview-page.tsx';

void mountPage(<PreviewPage />);
