import { readFileSync } from 'node:fs';

/** The fenced blocks of one language in a page of the documentation, without the indentation of a list. */
export function snippetsOf(page: string, language: string): string[] {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
  const blocks = text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^\\1\`\`\`$`, 'gm'));
  return [...blocks].map(([, indent = '', block = '']) => block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));
}
