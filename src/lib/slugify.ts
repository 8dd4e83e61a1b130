/** Words of ASCII letters, digits and underscores with hyphens between, in lower case. */
export const slugify = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[^\x20-\x7e\s]/g, '')
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .split(/[-\s]/)
    .filter((word) => word.replaceAll('_', '') !== '')
    .join('-');
