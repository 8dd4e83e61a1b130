import { AsyncLocalStorage } from 'node:async_hooks';

/** The CPU time that all expressions and patterns of one request share, in milliseconds. */
export const sandboxBudgets = { anonymous: 75, users: 400 };

/** The expressions of the request have used up their time. Whatever depends on them is denied. */
export class BudgetSpent extends Error {}

export interface Budget {
  readonly isSpent: boolean;
  readonly leftMs: number;
  spend(ms: number): void;
}

export interface Budgets {
  /** Runs one request with the budget of anonymous callers. Calls `report` at the end if the budget was spent. */
  share<T>(work: () => Promise<T>, report: () => Promise<void>): Promise<T>;
  /** Raises the budget to that of users: the caller has authenticated. */
  raise(): void;
  /** The budget of the current request; null in jobs and commands, where only the limit per expression applies. */
  current(): Budget | null;
}

class RequestBudget implements Budget {
  isSpent = false;
  isRaised = false;
  leftMs = sandboxBudgets.anonymous;

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
      budget.leftMs += sandboxBudgets.users - sandboxBudgets.anonymous;
    },
    current: () => budgets.getStore() ?? null,
  };
}
