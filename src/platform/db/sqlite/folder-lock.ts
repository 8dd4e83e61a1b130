import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../../make-folder.ts';

export class FolderInUse extends Error {
  constructor(folder: string) {
    super(
      `another Gatehouse is running on the data folder ${folder}; stop it first, or set GATEHOUSE_DATA_DIR to another folder`,
    );
  }
}

/**
 * Locks a data folder for this process. The operating system releases the lock when the process ends, however it ends.
 */
export function lockFolder(folder: string): () => void {
  makeFolder(folder);
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
