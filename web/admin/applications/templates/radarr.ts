import type { Template } from '../template.ts';

export const radarr: Template = {
  id: 'radarr',
  name: 'Radarr',
  about: 'Film collections',
  category: 'Media and home',
  protocol: 'proxy',
  address: 'https://radarr.example.com',
  where: 'config.xml',
  setup: `<AuthenticationMethod>External</AuthenticationMethod>
<AuthenticationRequired>Enabled</AuthenticationRequired>`,
  docs: 'https://wiki.servarr.com/radarr/faq',
  checked: { version: '4154414a', date: '2026-11-20', how: 'read' },
};
