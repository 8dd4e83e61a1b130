import type pg from 'pg';
import { messageOf } from '../../../lib/error-facts.ts';
import { DatabaseBusy } from '../unreachable.ts';
import { addressesOf } from './address.ts';
import { type Connected, connectTo, openSession, type Session } from './connect.ts';
import { type History, isOlder } from './history.ts';

/** The hosts of a `DATABASE_URL`, of which one takes writes. */
export interface Hosts {
  /** The address of the host in use; queries all hosts if it is unknown. */
  primary(): Promise<string>;
  /** The host in use has failed: returns whether it was in use already, so that another may serve. */
  giveUp(): boolean;
  /** Sets up a connection that was just made. Throws if it leads to a standby or a former primary. */
  open(client: pg.Client): Promise<Session>;
  /** Makes a connection of one's own. */
  connect(): Promise<Connected>;
  close(): void;
}

const connectWithinMs = 5_000;
/** Where there are others to try. */
const tryWithinMs = 3_000;
const lookEveryMs = 5_000;

/**
 * After a fail-over the old primary may come back and take writes, which would be lost. So all hosts are asked before
 * one is chosen, again after a connection has broken, and every few seconds: the one with the newest history is used,
 * and never one with an older history.
 */
export function createHosts(url: string): Hosts {
  const addresses = addressesOf(url);
  const areSeveral = addresses.length > 1;
  const withinMs = areSeveral ? tryWithinMs : connectWithinMs;
  const open = new Map<pg.Client, History | null>();
  let newest: History | null = null;
  let chosen: string | null = areSeveral ? null : url;
  let looking: Promise<string> | null = null;

  function requireNewest({ history }: Session): void {
    if (!isOlder(history, newest)) return;
    throw new DatabaseBusy('the database is a former primary; another host has been promoted since');
  }

  /** Connections to a host with an older history must not write any more. */
  function follow(history: History | null): void {
    if (history === null || isOlder(history, newest)) return;
    newest = history;
    for (const [client, own] of open) if (isOlder(own, newest)) client.connection.stream.destroy();
  }

  async function ask(address: string): Promise<History | null> {
    const { client, ...session } = await connectTo(address, withinMs);
    void client.end().catch(() => {});
    requireNewest(session);
    return session.history;
  }

  async function look(): Promise<string> {
    const outcomes = await Promise.allSettled(addresses.map(ask));
    let best: { readonly address: string; readonly history: History | null } | null = null;
    const errors: unknown[] = [];
    for (const [index, outcome] of outcomes.entries()) {
      // There are as many outcomes as addresses.
      const address = addresses[index] as string;
      if (outcome.status === 'rejected') errors.push(outcome.reason);
      else if (!best || isOlder(best.history, outcome.value)) best = { address, history: outcome.value };
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

  const primary = async (): Promise<string> => chosen ?? (await lookTogether());

  function giveUp(): boolean {
    const wasChosen = chosen !== null;
    if (areSeveral) chosen = null;
    return areSeveral && wasChosen;
  }

  function keep(client: pg.Client, session: Session): Session {
    requireNewest(session);
    open.set(client, session.history);
    client.on('end', () => open.delete(client));
    // Unless it has ended.
    client.on('error', giveUp);
    follow(session.history);
    return session;
  }

  async function connect(): Promise<Connected> {
    try {
      const { client, ...session } = await connectTo(await primary(), withinMs);
      keep(client, session);
      return { client, ...session };
    } catch (error) {
      if (!giveUp()) throw error;
      return connect();
    }
  }

  const timer = areSeveral ? setInterval(() => void lookTogether().catch(() => {}), lookEveryMs) : undefined;
  timer?.unref();
  return {
    primary,
    giveUp,
    open: async (client) => keep(client, await openSession(client)),
    connect,
    close: () => clearInterval(timer),
  };
}
