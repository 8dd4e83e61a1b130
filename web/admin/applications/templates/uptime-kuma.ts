import type { Template } from '../template.ts';

export const uptimeKuma: Template = {
  id: 'uptime-kuma',
  name: 'Uptime Kuma',
  about: 'Checks whether services answer',
  category: 'Infrastructure',
  protocol: 'proxy',
  address: 'https://status.example.com',
  where: 'Settings → Security',
  setup: `Advanced: Disable Auth`,
  docs: 'https://github.com/louislam/uptime-kuma/wiki/Reverse-Proxy',
  checked: { version: '074966fb', date: '2026-11-20', how: 'read' },
};
