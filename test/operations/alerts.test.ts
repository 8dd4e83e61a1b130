import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { firstStart, processToken, startServerProcess } from '../support/gatehouse-process.ts';
import { newFolder } from '../support/server.ts';
import { snippetsOf } from '../support/snippets.ts';
import { unpackFromTrixie } from '../support/trixie-packages.ts';

const run = promisify(execFile);
const prometheus = await unpackFromTrixie('promtool', ['promtool']);
const promtool = join(prometheus ?? '', 'usr/bin/promtool');
const rules = fileURLToPath(new URL('../../deploy/alerts.yaml', import.meta.url));

test('alerts.yaml names only metrics that the server has', async () => {
  const server = await startServerProcess({ ...firstStart, GATEHOUSE_DATA_DIR: newFolder() });
  try {
    await server.as(processToken).get('/core/users/me/');
    const metrics = await (await fetch(`${server.url}/-/metrics`)).text();
    const named = readFileSync(rules, 'utf8').match(/gatehouse_[a-z_]+/g) ?? [];
    expect(named.length).toBeGreaterThan(2);
    for (const name of named) expect(metrics).toContain(name.replace(/_(?:count|bucket)$/, ''));
  } finally {
    await server.stop();
  }
});

/** Values each minute, in the notation of promtool; what fires at which minute, and what does not. */
interface Course {
  readonly name: string;
  readonly series: Readonly<Record<string, string>>;
  readonly alert: string;
  readonly silent: readonly number[];
  readonly firing: readonly number[];
}

const twoInstances = (metric: string, values: string) => ({
  [metric.replace('}', ',instance="a"}')]: values,
  [metric.replace('}', ',instance="b"}')]: values,
});

const courses: readonly Course[] = [
  {
    name: 'a job that is given up at its first attempt, for an hour',
    series: twoInstances('gatehouse_jobs{state="failed"}', '3x9 4x200'),
    ...{ alert: 'GatehouseJobFailed', silent: [9, 75], firing: [12, 65] },
  },
  {
    name: 'a job that is retried with growing pauses, as long as it fails',
    series: twoInstances('gatehouse_jobs_oldest_retry_seconds{job="gatehouse"}', '0+60x120 0x60'),
    ...{ alert: 'GatehouseJobsRetrying', silent: [20, 130], firing: [31, 60, 119] },
  },
  {
    name: 'one request that fails',
    series: { 'gatehouse_faults_total{instance="a"}': '0x9 1x60' },
    ...{ alert: 'GatehouseFaults', silent: [9, 30], firing: [11] },
  },
  {
    name: 'a database that is away while the instance is up',
    series: { 'gatehouse_database_up{instance="a"}': '1x9 0x20' },
    ...{ alert: 'GatehouseDatabaseDown', silent: [10], firing: [12] },
  },
  {
    name: 'an instance that is gone',
    series: { 'up{job="gatehouse",instance="a"}': '1x9 0x20' },
    ...{ alert: 'GatehouseDown', silent: [10], firing: [12] },
  },
  {
    name: 'slow requests, but not long ones of applications behind the server',
    series: {
      'gatehouse_http_request_duration_seconds_bucket{route="hosted",instance="a",le="1"}': '0x90',
      'gatehouse_http_request_duration_seconds_bucket{route="hosted",instance="a",le="10"}': '0+60x90',
      'gatehouse_http_request_duration_seconds_bucket{route="hosted",instance="a",le="+Inf"}': '0+60x90',
      'gatehouse_http_request_duration_seconds_bucket{route="/",instance="a",le="1"}': '0+60x40 2400x50',
      'gatehouse_http_request_duration_seconds_bucket{route="/",instance="a",le="10"}': '0+60x90',
      'gatehouse_http_request_duration_seconds_bucket{route="/",instance="a",le="+Inf"}': '0+60x90',
    },
    ...{ alert: 'GatehouseSlow', silent: [20, 40], firing: [65] },
  },
  {
    name: 'a backup that is too old',
    series: {
      'gatehouse_last_backup_timestamp_seconds{instance="a"}': '0x5000',
      'gatehouse_ready{instance="a"}': '1x5000',
    },
    ...{ alert: 'GatehouseBackupOld', silent: [2_800], firing: [2_950] },
  },
  {
    name: 'that there is no backup',
    series: { 'gatehouse_ready{instance="a"}': '1x5000' },
    ...{ alert: 'GatehouseBackupOld', silent: [2_800], firing: [2_950] },
  },
];

describe.skipIf(prometheus === null)('the files for Prometheus', () => {
  test('are valid: the rules, and the scrape configuration of docs/monitoring.md', async () => {
    await run(promtool, ['check', 'rules', rules]);
    const file = join(newFolder(), 'prometheus.yml');
    writeFileSync(file, snippetsOf('docs/monitoring.md', 'yaml')[0] ?? '');
    await run(promtool, ['check', 'config', '--syntax-only', file]);
  });

  test.each(courses)('alert to $name', async ({ series, alert, silent, firing }) => {
    const input_series = Object.entries(series).map(([name, values]) => ({ series: name, values }));
    // Whether it fires is compared, not how often and in which words.
    const promql_expr_test = [...silent, ...firing].map((minute) => ({
      expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) > bool 0`,
      eval_time: `${minute}m`,
      exp_samples: firing.includes(minute) ? [{ labels: '{}', value: 1 }] : [],
    }));
    const file = join(newFolder(), 'alerts.test.yaml');
    const tests = [{ interval: '1m', input_series, promql_expr_test }];
    writeFileSync(file, stringify({ rule_files: [rules], evaluation_interval: '1m', tests }));
    await run(promtool, ['test', 'rules', file]);
  });
});
