import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export class FolderInUse extends Error {
  constructor(folder: string) {
    super(
      `another Gatehouse is running on the data folder ${folder}; stop it first, or set GATEHOUSE_DATA_DIR to another folder`,
    );
  }
}

/** Holds a data folder for this process. The lock is the operating system's: it goes with the process, however it ends. */
export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = new DatabaseSync(join(folder, 'lock'), { timeout: 0 });
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    lock.close();
    if (error instanceof Error && /locked/.test(error.message)) throw new FolderInUse(folder);
    throw error;
  }
  return () => lock.close();
}
