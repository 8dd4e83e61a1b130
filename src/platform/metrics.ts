import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  observeOperation(operation: string, status: number, milliseconds: number): void;
  countStatement(): void;
  /** Everything in Prometheus's text form. */
  render(): Promise<{ readonly type: string; readonly text: string }>;
}

export function createMetrics(version: string): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'gatehouse_' });
  const durations = new Histogram({
    name: 'gatehouse_operation_duration_seconds',
    help: 'How long operations of the API took, by operation id and status.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const statements = new Counter({
    name: 'gatehouse_database_statements_total',
    help: 'Statements run against the database.',
    registers: [registry],
  });
  new Gauge({
    name: 'gatehouse_info',
    help: 'The version that runs, as a label.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
  return {
    observeOperation: (operation, status, milliseconds) =>
      durations.observe({ operation, status }, milliseconds / 1000),
    countStatement: () => statements.inc(),
    render: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  };
}
