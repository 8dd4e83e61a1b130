import type { MeasuredScim, Push } from './measure.ts';

const number = (value: number) => Math.round(value).toLocaleString('en');
const each = ({ cpuMs, requests }: Push) => cpuMs / requests;

export function scimTable({ users, groups, connections, membersEach }: MeasuredScim): string {
  const row = (title: string, { server, floor }: MeasuredScim['users']) =>
    `| ${number(server.requests)} ${title} | ${number(server.wallMs / 1_000)} s | ${number(server.requests / (server.wallMs / 1_000))} | ${each(
      server,
    ).toFixed(2)} ms | ${number(floor.requests / (floor.wallMs / 1_000))} | ${each(floor).toFixed(2)} ms | ${(
      each(floor) / each(server)
    ).toFixed(2)} |`;
  return [
    `| pushed over ${connections} connections | time | a second | CPU each | floor: a second | floor: CPU each | share by CPU |`,
    '|---|--:|--:|--:|--:|--:|--:|',
    row('users', users),
    row(`groups of ${membersEach} members`, groups),
  ].join('\n');
}
