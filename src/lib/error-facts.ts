/** Properties that errors of Node and of database drivers have in addition to the message. */
interface ErrorFacts {
  readonly code?: unknown;
  readonly errcode?: unknown;
  readonly syscall?: unknown;
  readonly detail?: unknown;
}

export const errorFacts = (error: unknown): ErrorFacts => (typeof error === 'object' && error !== null ? error : {});

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
