import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { firstStart, startServerProcess } from '../support/gatehouse-process.ts';
import { newFolder } from '../support/server.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const lines = read('Dockerfile').split('\n');

/** `COPY a b c/` as pairs of what is copied and where it goes. */
const copies = (pattern: RegExp): [from: string, to: string][] =>
  lines.flatMap((line) => {
    const names = pattern.exec(line)?.[1]?.split(' ') ?? [];
    const to = names.pop() ?? '';
    return names.map((from): [string, string] => [from, to === './' ? basename(from) : to]);
  });

/** The packages of `npm ci --omit=dev`, as links. */
function linkPackages(folder: string): void {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { dev?: boolean }> };
  for (const [path, { dev }] of Object.entries(packages)) {
    if (!/^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) || dev || !existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(root, path), join(folder, path));
  }
}

const bundle = (folder: string) => {
  const options = /npm run build -- (--\S+)/.exec(read('Dockerfile'))?.[1];
  return promisify(execFile)(process.execPath, [join(folder, 'scripts/bundle.mjs'), ...(options ? [options] : [])]);
};

/** The folder in which the image is built, before the build. */
function copySources(): string {
  const build = newFolder();
  const ignored = read('.dockerignore').split('\n');
  for (const [from, to] of copies(/^COPY ((?!--from).*)$/)) {
    expect(ignored).toContain(`!${from}`);
    cpSync(join(root, from), join(build, to), { recursive: true, filter: (path) => !path.endsWith('.test.ts') });
  }
  linkPackages(build);
  return build;
}

/** How much a browser would load of all pages. */
function compressedBytes(folder: string): number {
  const dist = join(folder, 'dist');
  const newest = readdirSync(dist).sort((a, b) => statSync(join(dist, b)).mtimeMs - statSync(join(dist, a)).mtimeMs)[0];
  const pages = join(dist, newest ?? '', 'web');
  const files = readdirSync(pages).filter((name) => name.endsWith('.br'));
  return files.reduce((sum, name) => sum + statSync(join(pages, name)).size, 0);
}

test('a build whose result cannot be kept ends before it begins, and says who can', async () => {
  const build = copySources();
  writeFileSync(join(build, 'dist'), 'in the way');
  const refused = await bundle(build).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^Gatehouse could not be built: .*dist.*Build it once as the owner of this checkout: npm run build\n$/,
    ),
  });
});

test('the image is built from what the Dockerfile copies, and runs without the bundler', async () => {
  const build = copySources();
  await bundle(build);
  expect(compressedBytes(build)).toBeLessThan(0.95 * compressedBytes(root));

  const image = newFolder();
  for (const [from, to] of copies(/^COPY --from=build (?:--\S+ )?(.*)$/)) {
    cpSync(from.replace('/app', build), join(image, to), { recursive: true, verbatimSymlinks: true });
  }
  const packages = join(image, 'node_modules');
  for (const name of readdirSync(packages).filter((each) => /^(?:node-linux-|@?rolldown|@oxc-project)/.test(each)))
    rmSync(join(packages, name), { recursive: true });

  const program = join(image, 'scripts/gatehouse.mjs');
  const server = await startServerProcess({ ...firstStart, GATEHOUSE_DATA_DIR: newFolder() }, { program });
  try {
    for (const path of ['/if/flow/default-authentication-flow/', '/api/v3/', '/static/logo.svg'])
      expect([path, (await fetch(`${server.url}${path}`)).status]).toEqual([path, 200]);
    const { port } = new URL(server.url);
    const health = promisify(execFile)(process.execPath, [join(image, 'scripts/health.mjs')], { env: { PORT: port } });
    await expect(health).resolves.toMatchObject({ stderr: '' });
  } finally {
    await server.stop();
  }
});
