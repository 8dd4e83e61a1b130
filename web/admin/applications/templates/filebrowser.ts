import type { Template } from '../template.ts';

export const fileBrowser: Template = {
  id: 'filebrowser',
  name: 'File Browser',
  about: 'Files in the browser',
  category: 'Files and notes',
  protocol: 'proxy',
  address: 'https://files.example.com',
  where: 'On the server of File Browser',
  setup: `filebrowser config set --auth.method=proxy --auth.header=Remote-User`,
  docs: 'https://filebrowser.org/authentication',
  checked: { version: '099dfb0a', date: '2026-11-20', how: 'read' },
};
