interface Folder {
  readonly path: string;
  readonly name: string;
  readonly depth: number;
}

/** The folders of paths, those above before those below: `staff/berlin` has `staff` above it. */
export function folderTree(paths: readonly string[]): Folder[] {
  const all = new Set(
    paths.flatMap((path) => {
      const parts = path.split('/').filter(Boolean);
      return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
    }),
  );
  return [...all]
    .map((path) => path.split('/'))
    .toSorted((one, other) => one.join('\0').localeCompare(other.join('\0')))
    .map((parts) => ({ path: parts.join('/'), name: parts.at(-1) ?? '', depth: parts.length - 1 }));
}
