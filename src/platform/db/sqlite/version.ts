const oldest = [3, 51, 3] as const;

/** Throws for SQLite versions whose WAL can corrupt the database when two connections reset it at once. */
export function requireSqlite(version: string): void {
  const parts = version.split('.').map(Number);
  const different = oldest.findIndex((part, at) => parts[at] !== part);
  if (different === -1 || (parts[different] ?? 0) > (oldest[different] ?? 0)) return;
  throw new Error(
    `this Node brings SQLite ${version || 'of no known version'}, which can damage databases; ${oldest.join('.')} or later is needed. A newer Node has it`,
  );
}
