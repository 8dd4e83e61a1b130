import type pg from 'pg';
import { messageOf } from '../../lib/error-facts.ts';
import { addressesOf } from './postgres-address.ts';
import { type Connected, connectTo, type Kind } from './postgres-connect.ts';
import { type History, isOlder } from './postgres-history.ts';
import { DatabaseBusy } from './unreachable.ts';

export interface Connector {
  connect(): Promise<Connected>;
  close(): void;
}

const connectWithinMs = 5_000;
/** Where there are others to try. */
const tryWithinMs = 3_000;
const lookEveryMs = 5_000;

/** Makes connections to the one host that takes writes, or to one that takes none. */
export function createConnector(url: string, kind: Kind = 'primary'): Connector {
  const addresses = addressesOf(url);
  const [only] = addresses;
  if (addresses.length > 1) return createChooser(addresses, kind);
  return { connect: () => connectTo(only ?? url, kind, connectWithinMs), close: () => {} };
}

/**
 * After a fail-over the old primary may come back and take writes, which would be lost. So all hosts are asked before one is chosen, again
 * after a connection has broken, and every few seconds: the one with the newest history is used, and never one with an older history.
 */
function createChooser(addresses: readonly string[], kind: Kind): Connector {
  const open = new Map<pg.Client, History | null>();
  let newest: History | null = null;
  let chosen: string | null = null;
  let looking: Promise<string> | null = null;

  async function openAt(address: string): Promise<Connected> {
    const connected = await connectTo(address, kind, tryWithinMs);
    if (!isOlder(connected.history, newest)) return connected;
    void connected.client.end().catch(() => {});
    throw new DatabaseBusy('the database is a former primary; another host has been promoted since');
  }

  /** Whoever still uses a host with an older history must not write there any more. */
  function follow(history: History | null): void {
    if (history === null || isOlder(history, newest)) return;
    newest = history;
    for (const [client, own] of open) if (isOlder(own, newest)) client.connection.stream.destroy();
  }

  async function look(): Promise<string> {
    const outcomes = await Promise.allSettled(addresses.map(openAt));
    let best: { readonly address: string; readonly history: History | null } | null = null;
    const errors: unknown[] = [];
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status === 'rejected') {
        errors.push(outcome.reason);
        continue;
      }
      const { client, history } = outcome.value;
      void client.end().catch(() => {});
      // There are as many outcomes as addresses.
      if (!best || isOlder(best.history, history)) best = { address: addresses[index] as string, history };
    }
    if (!best) throw new AggregateError(errors, errors.map(messageOf).join('; '));
    follow(best.history);
    chosen = best.address;
    return best.address;
  }

  function lookTogether(): Promise<string> {
    looking ??= look().finally(() => {
      looking = null;
    });
    return looking;
  }

  async function connect(): Promise<Connected> {
    const known = chosen;
    try {
      const connected = await openAt(known ?? (await lookTogether()));
      const { client, history } = connected;
      open.set(client, history);
      follow(history);
      client.on('end', () => open.delete(client));
      // Only if nobody has ended it.
      client.on('error', () => {
        chosen = null;
      });
      return connected;
    } catch (error) {
      chosen = null;
      if (known === null) throw error;
      return connect();
    }
  }

  const timer = kind === 'primary' ? setInterval(() => void lookTogether().catch(() => {}), lookEveryMs) : undefined;
  timer?.unref();
  return { connect, close: () => clearInterval(timer) };
}
