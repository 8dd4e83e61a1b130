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
  insecure: false`,
  docs: 'https://doc.traefik.io/traefik/operations/dashboard/',
};
