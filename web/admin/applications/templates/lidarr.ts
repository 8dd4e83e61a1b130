import type { Template } from '../template.ts';

export const lidarr: Template = {
  id: 'lidarr',
  name: 'Lidarr',
  about: 'Music collections',
  category: 'Media and home',
  protocol: 'proxy',
  address: 'https://lidarr.example.com',
  where: 'config.xml',
  setup: `<AuthenticationMethod>External</AuthenticationMethod>
<AuthenticationRequired>Enabled</AuthenticationRequired>`,
  docs: 'https://wiki.servarr.com/lidarr/faq',
};
