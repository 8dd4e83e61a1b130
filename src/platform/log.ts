import { type DestinationStream, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino';
import type { LogLevel } from './config-values.ts';
import { createMasking, withoutQuerySecrets } from './log-masking.ts';

/** A log of JSON lines. Lines about a request have its `request_id`. */
export type Log = Logger;

interface Dependencies {
  level: LogLevel;
  /** Standard output by default. */
  stream?: DestinationStream;
}

/** Masks members named like secrets, in log entries and in the bindings of child loggers. */
export function createLog({ level, stream = pino.destination({ fd: 1, sync: true }) }: Dependencies): Log {
  const withoutSecrets = createMasking(describeError);

  function maskMembers(members: Record<string, unknown>): Record<string, unknown> {
    if (members.req === undefined && members.res === undefined) return withoutSecrets(members);
    // Requests and responses are the server's own objects; their serializers pick a few members.
    const { req, res, ...others } = members;
    return { req, res, ...withoutSecrets(others) };
  }

  const log: Log = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: maskMembers },
      serializers: { req: describeRequest, res: describeResponse, err: (error) => error },
    },
    stream,
  );
  // Formatters do not see the bindings of a child, and children inherit this method.
  const { child } = log;
  // Pino's overloads differ in the levels of the child, which ours does not change.
  log.child = function maskedChild(this: Log, bindings, options) {
    return child.call(this, maskMembers(bindings), options);
  } as Log['child'];
  return log;
}

/** The database's `detail` contains whole rows ("Failing row contains …"), so it never reaches the log. */
function describeError(error: Error): object {
  const { raw, detail, ...rest } = { detail: undefined, ...stdSerializers.err(error) };
  return rest;
}

function describeRequest(request: { method?: string; url?: string; ip?: string }): object {
  return { method: request.method, url: withoutQuerySecrets(request.url), ip: request.ip };
}

function describeResponse(response: { statusCode?: number }): object {
  return { status: response.statusCode };
}
