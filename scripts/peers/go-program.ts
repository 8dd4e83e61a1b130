import { join } from 'node:path';
import { findChromium } from '../../test/support/chromium.ts';
import { failureOf } from './peer.ts';

/** A program at the module proxy. */
export interface GoProgram {
  readonly module: string;
  readonly version: string;
  /** The package of its `main`, below the module. */
  readonly package?: string;
  readonly tags?: string;
}

/**
 * Where a module is unpacked. The folder of the run is deleted afterwards; people who set GOMODCACHE keep what was
 * fetched for the next run.
 */
export const moduleFolder = (folder: string, { module, version }: GoProgram): string =>
  join(cacheIn(folder), `${module}@${version}`);

const cacheIn = (folder: string): string => process.env.GOMODCACHE ?? join(folder, 'go');

/** Builds a program as `<folder>/<name>`, for people in Chromium; null when it is there, else what could not be had. */
export async function buildGo(folder: string, name: string, program: GoProgram): Promise<string | null> {
  if ((await findChromium()) === null) return 'there is no Chromium';
  const { module, version, package: main = '.', tags = '' } = program;
  // `go install` asks for other versions, too, which not every mirror lists.
  const go = { GOMODCACHE: cacheIn(folder), GOFLAGS: '-modcacherw' };
  return (
    (await failureOf('go', ['mod', 'download', `${module}@${version}`], go)) ??
    failureOf('go', ['build', '-tags', tags, '-o', join(folder, name), main], go, moduleFolder(folder, program))
  );
}
