import type { Template } from '../template.ts';

export const prowlarr: Template = {
  id: 'prowlarr',
  name: 'Prowlarr',
  about: 'Indexers of the *arr applications',
  category: 'Media and home',
  protocol: 'proxy',
  address: 'https://prowlarr.example.com',
  where: 'config.xml',
  setup: `<AuthenticationMethod>External</AuthenticationMethod>
<AuthenticationRequired>Enabled</AuthenticationRequired>`,
  docs: 'https://wiki.servarr.com/prowlarr/faq',
};
