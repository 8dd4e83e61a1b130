import type { Template } from '../template.ts';

export const proxmox: Template = {
  id: 'proxmox',
  name: 'Proxmox VE',
  about: 'Virtual machines and containers',
  category: 'Infrastructure',
  protocol: 'oauth2',
  address: 'https://proxmox.example.com:8006',
  redirects: ['{address}'],
  where: 'On a node, as root',
  setup: `pveum realm add gatehouse --type openid \\
  --issuer-url {issuer} \\
  --client-id {client_id} \\
  --client-key {client_secret} \\
  --username-claim preferred_username --autocreate 1 \\
  --groups-claim groups --groups-autocreate 1`,
  docs: 'https://pve.proxmox.com/wiki/User_Management',
};
