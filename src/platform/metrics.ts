import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry, register } from 'prom-client';

export interface Metrics {
  /** `route` is the path as it was declared, so that labels stay few. */
  observeRequest(request: {
    readonly route: string;
    readonly status: number;
    readonly isFault: boolean;
    readonly milliseconds: number;
  }): void;
  observeOperation(operation: string, status: number, milliseconds: number): void;
  countStatement(): void;
  countJob(kind: string, outcome: string): void;
  countRadiusRequest(outcome: string): void;
  /** Counts jobs by state at each scrape. */
  watchJobs(count: () => Promise<Readonly<Record<string, number>>>): void;
  /** Counts the rows of anonymous callers at each scrape. */
  watchAnonymousRows(rows: {
    counts(): Promise<Readonly<Record<string, number>>>;
    refused(): Readonly<Record<string, number>>;
  }): void;
  /** Reads labelled figures at each scrape. */
  watchFigures(name: string, help: string, labels: readonly string[], read: () => Promise<readonly Figure[]>): void;
  /** All metrics in Prometheus's text format. */
  render(): Promise<{ readonly type: string; readonly text: string }>;
}

export interface Figure {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Observation {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly seconds: number;
}

const maxPending = 500;
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export function createMetrics(version: string): Metrics {
  collectProcessMetrics();
  const registry = new Registry();
  const observeOperation = createDurations(registry, {
    name: 'gatehouse_operation_duration_seconds',
    help: 'How long operations of the API took, by operation id and status.',
    labelNames: ['operation', 'status'],
  });
  const observeRoute = createDurations(registry, {
    name: 'gatehouse_http_request_duration_seconds',
    help: 'How long requests took, by route and status; the API is one route.',
    labelNames: ['route', 'status'],
  });
  // Without labels, so that it starts at 0 and its first increase shows.
  const faults = new Counter({
    name: 'gatehouse_faults_total',
    help: 'Requests that failed because of an unexpected error (status 500), on any route.',
    registers: [registry],
  });
  // A plain counter, read at each scrape.
  let statementsSince = 0;
  new Counter({
    name: 'gatehouse_database_statements_total',
    help: 'Statements run against the database.',
    registers: [registry],
    collect() {
      this.inc(statementsSince);
      statementsSince = 0;
    },
  });
  const finishedJobs = new Counter({
    name: 'gatehouse_job_attempts_total',
    help: 'Attempts at jobs that this process ended, by kind and outcome (done, again, failed).',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  });
  const radiusRequests = new Counter({
    name: 'gatehouse_radius_requests_total',
    help: 'Requests by RADIUS that came to this process, by outcome (accepted, rejected, challenged, dropped).',
    labelNames: ['outcome'],
    registers: [registry],
  });
  new Gauge({
    name: 'gatehouse_info',
    help: 'The version that runs, as a label.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
  return {
    observeOperation: (operation, status, milliseconds) => observeOperation({ operation, status }, milliseconds),
    observeRequest({ route, status, isFault, milliseconds }) {
      observeRoute({ route, status }, milliseconds);
      if (isFault) faults.inc();
    },
    countStatement: () => {
      statementsSince += 1;
    },
    countJob: (kind, outcome) => finishedJobs.inc({ kind, outcome }),
    countRadiusRequest: (outcome) => radiusRequests.inc({ outcome }),
    watchAnonymousRows({ counts, refused }) {
      new Gauge({
        name: 'gatehouse_anonymous_rows',
        help: 'Rows that anonymous calls may cause, by table; counted about once a minute.',
        labelNames: ['table'],
        registers: [registry],
        async collect() {
          for (const [table, number] of Object.entries(await counts().catch(() => ({})))) this.set({ table }, number);
        },
      });
      new Gauge({
        name: 'gatehouse_anonymous_rows_refused',
        help: 'Rows of anonymous calls that this process refused because a limit was reached, by table.',
        labelNames: ['table'],
        registers: [registry],
        collect() {
          for (const [table, number] of Object.entries(refused())) this.set({ table }, number);
        },
      });
    },
    watchJobs(count) {
      new Gauge({
        name: 'gatehouse_jobs',
        help: 'Jobs in the database that wait, run or were given up.',
        labelNames: ['state'],
        registers: [registry],
        async collect() {
          for (const [state, number] of Object.entries(await count())) this.set({ state }, number);
        },
      });
    },
    watchFigures(name, help, labels, read) {
      new Gauge({
        name,
        help,
        labelNames: [...labels],
        registers: [registry],
        async collect() {
          const figures = await read().catch(() => []);
          this.reset();
          // Without labels, a gauge is 0 after that.
          if (labels.length === 0) this.remove();
          for (const { labels: of, value } of figures) this.set(of, value);
        },
      });
    },
    render: async () => ({
      type: registry.contentType,
      text: `${await registry.metrics()}${await register.metrics()}`,
    }),
  };
}

/** Batched: that takes a fifth of the time of updating the histogram within each request. */
function createDurations(
  registry: Registry,
  names: { readonly name: string; readonly help: string; readonly labelNames: string[] },
): (labels: Observation['labels'], milliseconds: number) => void {
  let pending: Observation[] = [];
  const histogram = new Histogram({ ...names, buckets, registers: [registry], collect: flush });
  function flush(): void {
    for (const { labels, seconds } of pending) histogram.observe(labels, seconds);
    pending = [];
  }
  return (labels, milliseconds) => {
    pending.push({ labels, seconds: milliseconds / 1000 });
    if (pending.length >= maxPending) flush();
  };
}

/** Once per process: their observers and timers never end, and would keep every closed server in memory. */
function collectProcessMetrics(): void {
  if (register.getMetricsAsArray().length === 0) collectDefaultMetrics({ prefix: 'gatehouse_' });
}
