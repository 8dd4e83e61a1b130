import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import {
  type Environment,
  type ProcessOptions,
  type RunningServer,
  startServerProcess,
} from '../support/gatehouse-process.ts';

/** Known, so that any later version can open what the database holds. */
export const releaseSettings: Environment = {
  GATEHOUSE_SECRET_KEY: 'the key of the databases of released versions',
  GATEHOUSE_BOOTSTRAP_TOKEN: 'the-token-of-the-databases-of-released-versions',
  GATEHOUSE_BOOTSTRAP_PASSWORD: 'the password of the administrator',
};
export const releaseUser = { username: 'dana', password: 'a password from an older version' };

export const releaseFolder = fileURLToPath(new URL('./', import.meta.url));

export const startRelease = (env: Environment, options?: ProcessOptions): Promise<RunningServer> =>
  startServerProcess({ ...releaseSettings, ...env }, options);

/** The names of the files of all releases that end so, oldest first. */
export const releaseFiles = (ending: string): string[] =>
  readdirSync(releaseFolder)
    .filter((file) => file.endsWith(ending))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));

/** A kept database, unpacked. */
export const releaseDatabase = (file: string): Buffer => gunzipSync(readFileSync(join(releaseFolder, file)));

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Unpacks the code of a release. It runs with the packages of this version. */
export function releaseProgram(file: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-release-'));
  const program = join(folder, 'dist', 'release', 'gatehouse.js');
  mkdirSync(join(folder, 'dist', 'release'), { recursive: true });
  writeFileSync(program, brotliDecompressSync(readFileSync(join(releaseFolder, file))));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  for (const name of ['node_modules', 'web']) symlinkSync(join(root, name), join(folder, name));
  return program;
}
