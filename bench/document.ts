import { readFileSync, writeFileSync } from 'node:fs';

const path = new URL('../docs/performance.md', import.meta.url);

function rangeOf(text: string, section: string): { readonly from: number; readonly to: number } | null {
  const begin = `<!-- ${section} -->`;
  const start = text.indexOf(begin);
  const to = text.indexOf(`<!-- end of ${section} -->`);
  return start === -1 || to === -1 ? null : { from: start + begin.length, to };
}

/** Replaces what stands between the two marks of a section. */
export function withSection(text: string, section: string, content: string): string {
  const range = rangeOf(text, section);
  if (!range) throw new Error(`the document has no section "${section}"`);
  return `${text.slice(0, range.from)}\n\n${content}\n\n${text.slice(range.to)}`;
}

export const hasSection = (section: string): boolean => rangeOf(readFileSync(path, 'utf8'), section) !== null;

export function writeSection(section: string, content: string): void {
  writeFileSync(path, withSection(readFileSync(path, 'utf8'), section, content));
}
