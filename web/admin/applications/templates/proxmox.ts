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
{without_groups}  --groups-claim groups --groups-autocreate 1
{with_groups}  --groups-claim groups --groups-overwrite 1
{with_groups}# Members may view everything. Group names may only contain letters, digits, dots, hyphens and underscores.
pveum group add '{group}-gatehouse' && pveum acl modify / --groups '{group}-gatehouse' --roles PVEAuditor`,
  docs: 'https://pve.proxmox.com/wiki/User_Management',
};
