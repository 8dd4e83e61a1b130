/** Lower-case ASCII words of letters, digits and underscores, joined by hyphens. */
export const slugify = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[^\x20-\x7e\s]/g, '')
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .split(/[-\s]/)
    .filter((word) => word.replaceAll('_', '') !== '')
    .join('-');
