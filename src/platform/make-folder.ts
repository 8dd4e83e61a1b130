import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Creates a missing folder with access for this user only. Node's own `recursive` hangs below /proc. */
export function makeFolder(path: string): void {
  try {
    make(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The data folder ${path} cannot be made (GATEHOUSE_DATA_DIR): ${reason}`);
  }
}

function make(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  if (found) throw new Error(`${path} is no folder`);
  const above = dirname(path);
  if (above !== path) make(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
