import { readFileSync, writeFileSync } from 'node:fs';

const path = new URL('../docs/performance.md', import.meta.url);

/** Replaces what stands between the two marks of a section. */
export function withSection(text: string, section: string, content: string): string {
  const begin = `<!-- ${section} -->`;
  const end = `<!-- end of ${section} -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from === -1 || to === -1) throw new Error(`the document has no section "${section}"`);
  return `${text.slice(0, from + begin.length)}\n\n${content}\n\n${text.slice(to)}`;
}

export function writeSection(section: string, content: string): void {
  writeFileSync(path, withSection(readFileSync(path, 'utf8'), section, content));
}
