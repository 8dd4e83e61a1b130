import type { BenchDatabases } from './databases.ts';
import type { Rounds } from './measure.ts';

export interface BenchOptions {
  readonly databases: BenchDatabases;
  /** Only rows whose title contains this. */
  readonly only: string;
  readonly rounds: Rounds;
  /** A small installation instead of the usual data. */
  readonly isSmall: boolean;
  readonly profileFolder: string | null;
  /** Tells how far it is; the tables themselves go to standard output. */
  say(line: string): void;
}
