import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
/** MaxMind DB File Format Specification 2.0: the metadata lie within the last 128 KiB. */
const metadataBytes = 128 * 1024;

/** Throws unless the file can be read and is a MaxMind database. */
export function checkGeoFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const end = Buffer.alloc(Math.min(size, metadataBytes));
    readSync(file, end, 0, end.length, size - end.length);
    if (!end.includes(marker)) throw new Error(`${path} is not a MaxMind database`);
  } finally {
    closeSync(file);
  }
}
