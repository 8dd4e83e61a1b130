import { execFile } from 'node:child_process';
import { hasDebianPackage } from './debian-package.ts';

const binary = (tool: Tool) => `/usr/bin/${tool}`;
const tools = ['ldapsearch', 'ldapwhoami', 'ldapcompare', 'ldappasswd', 'ldapmodify'] as const;
type Tool = (typeof tools)[number];

/** Whether OpenLDAP's command-line tools are there, installed if need be. Call it at the top level of a test file. */
export const findLdapTools = (): Promise<boolean> => hasDebianPackage('ldap-utils', tools.map(binary));

export interface ToolResult {
  /** The LDAP result code. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a tool against a server; self-signed certificates are accepted. */
export function runLdap(tool: Tool, url: string, args: readonly string[], input = ''): Promise<ToolResult> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH, LDAPTLS_REQCERT: 'never' };
    const child = execFile(
      binary(tool),
      ['-x', '-H', url, ...args],
      { env, maxBuffer: 2 ** 28 },
      (error, stdout, stderr) => resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
    // A tool that cannot connect ends before it has read everything.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/** The entries of an LDIF: their names and attributes, in order. */
export function entriesIn(ldif: string): { dn: string; [attribute: string]: string | string[] }[] {
  const unfolded = ldif.replaceAll('\n ', '');
  return unfolded.split('\n\n').flatMap((block) => {
    const lines = block.split('\n').filter((line) => /^[\w-]+::? ?/.test(line));
    if (!lines[0]?.startsWith('dn:')) return [];
    const entry: { dn: string; [attribute: string]: string | string[] } = { dn: '' };
    for (const line of lines) {
      const [, name = '', isEncoded, text = ''] = /^([\w-]+):(:)? ?(.*)$/.exec(line) ?? [];
      const value = isEncoded ? Buffer.from(text, 'base64').toString() : text;
      const before = entry[name];
      if (name === 'dn') entry.dn = value;
      else entry[name] = before === undefined ? value : [before, value].flat();
    }
    return [entry];
  });
}
