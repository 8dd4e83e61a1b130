import type { Template } from '../template.ts';

export const uptimeKuma: Template = {
  id: 'uptime-kuma',
  name: 'Uptime Kuma',
  about: 'Checks whether services answer',
  category: 'Infrastructure',
  protocol: 'proxy',
  address: 'https://status.example.com',
  where: 'Settings → Advanced',
  setup: `Disable Auth`,
};
