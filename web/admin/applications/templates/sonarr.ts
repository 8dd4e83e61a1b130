import type { Template } from '../template.ts';

export const sonarr: Template = {
  id: 'sonarr',
  name: 'Sonarr',
  about: 'Collections of series',
  category: 'Media and home',
  protocol: 'proxy',
  address: 'https://sonarr.example.com',
  where: 'config.xml',
  setup: `<AuthenticationMethod>External</AuthenticationMethod>
<AuthenticationRequired>Enabled</AuthenticationRequired>`,
  docs: 'https://wiki.servarr.com/sonarr/faq',
  checked: { version: 'c9ba9baa', date: '2026-11-20', how: 'read' },
};
