import type { CompiledQuery } from 'kysely';

export interface StatementListeners {
  add(listener: (query: CompiledQuery) => void): () => void;
  notify(query: CompiledQuery): void;
}

export function createStatementListeners(): StatementListeners {
  const listeners = new Set<(query: CompiledQuery) => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notify(query) {
      for (const listener of listeners) listener(query);
    },
  };
}
