import type { Template } from '../template.ts';

export const forwardAuth: Template = {
  id: 'forward-auth',
  name: 'Any application without a sign-in',
  about: 'Forward auth, in front of your reverse proxy',
  category: '',
  protocol: 'proxy',
  address: 'https://app.example.com',
  where: 'In your reverse proxy',
  setup: '',
};
