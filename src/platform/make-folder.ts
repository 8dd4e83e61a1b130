import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../lib/error-facts.ts';

/** Creates a missing folder with access for this user only. Node's own `recursive` hangs below /proc. */
export function makeFolder(path: string): void {
  try {
    make(path);
  } catch (error) {
    throw new Error(`The data folder ${path} cannot be made (GATEHOUSE_DATA_DIR): ${messageOf(error)}`);
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
