import type { Template } from '../template.ts';

export const alertmanager: Template = {
  id: 'alertmanager',
  name: 'Alertmanager',
  about: 'Alerts of Prometheus',
  category: 'Infrastructure',
  protocol: 'proxy',
  address: 'https://alerts.example.com',
  where: 'Arguments of Alertmanager',
  setup: `--web.external-url={address}
--web.listen-address=127.0.0.1:9093`,
  docs: 'https://prometheus.io/docs/alerting/latest/alertmanager/',
  checked: { version: '4bfff010', date: '2026-11-20', how: 'read' },
};
