/** How the server looks where nobody has said otherwise. */
export const defaultBranding = {
  title: 'Gatehouse',
  logo: '/static/logo.svg',
  favicon: '/static/favicon.svg',
};
