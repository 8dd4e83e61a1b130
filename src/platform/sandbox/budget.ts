import { AsyncLocalStorage } from 'node:async_hooks';

/** The CPU time that all expressions and patterns of one request share, in milliseconds. */
export const sandboxBudgets = { strangers: 75, users: 400 };

/** The expressions of the request have used up their time. Whatever they decide about is refused. */
export class BudgetSpent extends Error {}

export interface Budget {
  readonly isSpent: boolean;
  readonly leftMs: number;
  spend(ms: number): void;
}

export interface Budgets {
  /** Runs the work of one request with the budget of strangers. Calls `report` at its end if the budget was spent. */
  share<T>(work: () => Promise<T>, report: () => Promise<void>): Promise<T>;
  /** The caller of the request has authenticated: it has the budget of users. */
  raise(): void;
  /** That of the current request; null in jobs and commands, where each expression has its own limit alone. */
  current(): Budget | null;
}

class RequestBudget implements Budget {
  isSpent = false;
  isRaised = false;
  leftMs = sandboxBudgets.strangers;

  spend(ms: number): void {
    this.leftMs -= ms;
    if (this.leftMs <= 0) this.isSpent = true;
  }
}

export function createBudgets(): Budgets {
  const budgets = new AsyncLocalStorage<RequestBudget>();
  return {
    share: (work, report) =>
      budgets.run(new RequestBudget(), async () => {
        try {
          return await work();
        } finally {
          if (budgets.getStore()?.isSpent) await report();
        }
      }),
    raise() {
      const budget = budgets.getStore();
      if (!budget || budget.isRaised) return;
      budget.isRaised = true;
      budget.leftMs += sandboxBudgets.users - sandboxBudgets.strangers;
    },
    current: () => budgets.getStore() ?? null,
  };
}
