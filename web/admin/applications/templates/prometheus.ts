import type { Template } from '../template.ts';

export const prometheus: Template = {
  id: 'prometheus',
  name: 'Prometheus',
  about: 'Metrics and queries',
  category: 'Infrastructure',
  protocol: 'proxy',
  address: 'https://prometheus.example.com',
  where: 'Arguments of Prometheus',
  setup: `--web.external-url={address}
--web.listen-address=127.0.0.1:9090`,
  docs: 'https://prometheus.io/docs/prometheus/latest/command-line/prometheus/',
  checked: { version: '00315ce1', date: '2026-11-20', how: 'read' },
};
