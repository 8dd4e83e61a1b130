import type { Template } from '../template.ts';

export const traefikDashboard: Template = {
  id: 'traefik-dashboard',
  name: 'Traefik dashboard',
  about: 'Routers and services of the proxy',
  category: 'Infrastructure',
  protocol: 'proxy',
  address: 'https://traefik.example.com',
  where: 'traefik.yml',
  setup: `api:
  dashboard: true
  insecure: false
# In the router of forward auth, instead of the service of an application:
#   service: api@internal`,
  docs: 'https://doc.traefik.io/traefik/reference/install-configuration/api-dashboard/',
  checked: { version: '3.6.12', date: '2026-11-20', how: 'read' },
};
