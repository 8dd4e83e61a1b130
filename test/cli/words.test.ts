import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runGatehouse } from '../support/gatehouse-process.ts';
import { newFolder } from '../support/server.ts';
import { run } from './in-process.ts';

const commands = ['serve', 'migrate', 'backup', 'restore', 'recover-admin', 'check', 'demo'];

test('the command line uses standard output, standard error and exit codes correctly', async () => {
  expect(await runGatehouse(['--help'])).toMatchObject({ code: 0, stderr: '', stdout: (await run(['--help'])).stdout });
  expect(await runGatehouse(['serv'])).toMatchObject({ code: 2, stdout: '', stderr: (await run(['serv'])).stderr });
  const refused = await runGatehouse(['serve'], { PORT: 'x' });
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('PORT must be a number');
});

describe('the help text', () => {
  test('names every command', async () => {
    for (const args of [['--help'], ['-h'], ['help']]) {
      const { code, stdout, stderr } = await run(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      for (const command of commands) expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
    }
  });

  test('is printed as an error when no command is given', async () => {
    const { code, stdout, stderr } = await run([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('gatehouse <command>');
  });

  test.each(commands)('of %s says what it does, touches nothing and needs no settings', async (command) => {
    const folder = newFolder();
    const env = { GATEHOUSE_DATA_DIR: folder, PORT: 'not a port' };
    const { code, stdout, stderr } = await run([command, '--help'], env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^gatehouse ${command}`));
    expect(stdout.split('\n').length).toBeGreaterThan(2);
    expect((await run(['help', command], env)).stdout).toBe(stdout);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('lists options with their values', async () => {
    const { stdout } = await run(['backup', '--help']);
    expect(stdout).toContain('gatehouse backup --to <file> [--without-key]');
    expect(stdout).toMatch(/--to <file> +where/);
  });

  test('is separate from --version, which prints the version number', async () => {
    const { code, stdout } = await run(['--version']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('the command line refuses', () => {
  test.each([
    [['serv'], 'There is no command "serv"; did you mean serve?'],
    [['recover_admin'], 'did you mean recover-admin?'],
    [['frobnicate'], 'There is no command "frobnicate".'],
    [['help', 'bakcup'], 'There is no command "bakcup"; did you mean backup?'],
    [['backup', '--too', 'x'], 'gatehouse backup has no option --too; did you mean --to?'],
    [['backup', '-x'], 'gatehouse backup has no option -x'],
    [['backup'], 'gatehouse backup needs --to <file>.'],
    [['backup', '--to'], '--to needs a value: --to <file>.'],
    [['backup', '--to', 'x', '--without-key=yes'], '--without-key takes no value.'],
    [['backup', 'x'], 'gatehouse backup does not know what to do with "x".'],
    [['serve', '--port', '80'], 'gatehouse serve has no option --port'],
    [['check', 'twice'], 'gatehouse check does not know what to do with "twice".'],
  ])('%j', async (args, complaint) => {
    const { code, stdout, stderr } = await run(args, { GATEHOUSE_DATA_DIR: newFolder() });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(complaint);
  });
});

test('bad settings stop every command before it does anything, with all complaints at once', async () => {
  const folder = newFolder();
  const env = { GATEHOUSE_DATA_DIR: folder, PORT: '99999', GATEHOUSE_SECRET_KEY: 'short', GATEHOUSE_LOGLEVEL: 'info' };
  for (const args of [['serve'], ['migrate'], ['check'], ['backup', '--to', `${folder}/x`], ['recover-admin']]) {
    const { code, stdout, stderr } = await run(args, env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('PORT must be a number from 0 to 65535');
    expect(stderr).toContain('GATEHOUSE_SECRET_KEY');
    expect(stderr).toContain('GATEHOUSE_LOGLEVEL is not a setting; did you mean GATEHOUSE_LOG_LEVEL?');
    expect(stderr).not.toContain('short');
  }
  expect(readdirSync(folder)).toEqual([]);
});
