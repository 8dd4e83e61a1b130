import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The files a page loads, relative to the folder of the pages. */
export interface PageFiles {
  readonly script: string;
  readonly style: string;
  /** The script's imports, to be preloaded in parallel. */
  readonly preload: readonly string[];
  /** The catalogue of each language but English. */
  readonly texts: Readonly<Record<string, string | undefined>>;
}

export interface BuiltPages {
  readonly folder: string;
  readonly pages: Readonly<Record<string, PageFiles | undefined>>;
}

/** The pages as `npm run build` made them; null where they have not been built. */
export function findBuiltPages(): BuiltPages | null {
  for (const folder of candidates()) {
    const manifest = readOrNull(join(folder, 'manifest.json'));
    if (manifest !== null) return { folder, pages: JSON.parse(manifest) };
  }
  return null;
}

/** Beside the running bundle; a server that runs from source uses the latest build. */
function candidates(): string[] {
  const dist = fileURLToPath(new URL('../../../dist/', import.meta.url));
  const beside = fileURLToPath(new URL('web/', import.meta.url));
  return [beside, ...foldersOf(dist)];
}

function foldersOf(dist: string): string[] {
  try {
    return readdirSync(dist)
      .filter((name) => /^[0-9a-f]{12}$/.test(name))
      .map((name) => join(dist, name))
      .map((path) => ({ path, builtAt: statSync(path).mtimeMs }))
      .sort((a, b) => b.builtAt - a.builtAt)
      .map(({ path }) => join(path, 'web'));
  } catch {
    return [];
  }
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
