/** The default branding. */
export const defaultBranding = {
  title: 'Gatehouse',
  logo: '/static/logo.svg',
  favicon: '/static/favicon.svg',
};
