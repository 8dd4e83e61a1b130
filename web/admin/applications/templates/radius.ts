import type { Template } from '../template.ts';

export const radius: Template = {
  id: 'radius',
  name: 'Wi-Fi or VPN (RADIUS)',
  about: 'Access points, switches and VPN gateways',
  category: '',
  protocol: 'radius',
  address: '192.0.2.0/24',
  hasNoPage: true,
  where: 'For the RADIUS clients',
  setup: '',
};
