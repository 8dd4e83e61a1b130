import type { LdapCost, MeasuredLdap } from './measure.ts';

const number = (value: number) => Math.round(value).toLocaleString('en');
const cpu = ({ cpuMs }: LdapCost) => `${cpuMs.toFixed(3)} ms`;
const megabytes = (bytes: number) => `${number(bytes / 2 ** 20)} MB`;

export function ldapTable({ entries, connections, rows, hashMs, residentBytes }: MeasuredLdap): string {
  return [
    `| ${number(entries)} entries, ${connections} connections | a second | CPU each | slapd: a second | slapd: CPU each |`,
    '|---|--:|--:|--:|--:|',
    ...rows.map(
      ({ title, server, slapd }) =>
        `| ${title} | ${number(server.aSecond)} | ${cpu(server)} | ${
          slapd ? `${number(slapd.aSecond)} | ${cpu(slapd)}` : '– | –'
        } |`,
    ),
    '',
    `One password hash (argon2id) takes ${hashMs.toFixed(1)} ms; slapd compares passwords in the clear. Memory: ${megabytes(
      residentBytes.before,
    )} before the export, at most ${megabytes(residentBytes.most)} during it.`,
  ].join('\n');
}
