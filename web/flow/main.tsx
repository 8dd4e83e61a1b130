import { mountPage } from '../page/mount-page.tsx';
import { FlowPage } from './flow-page.tsx';

void mountPage(<FlowPage />);
