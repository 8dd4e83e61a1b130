import type { Template } from '../template.ts';

export const homepage: Template = {
  id: 'homepage',
  name: 'Homepage',
  about: 'Links to all services',
  category: 'Media and home',
  protocol: 'proxy',
  address: 'https://home.example.com',
  where: 'Environment of Homepage',
  setup: `HOMEPAGE_ALLOWED_HOSTS={host}`,
  docs: 'https://gethomepage.dev/installation/',
  checked: { version: '11a1f094', date: '2026-11-20', how: 'read' },
};
