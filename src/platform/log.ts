import { type DestinationStream, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino';
import type { LogLevel } from './config-values.ts';
import { createMasking, withoutQuerySecrets } from './log-masking.ts';

/** A log of JSON lines. What is logged about a request carries its `request_id`. */
export type Log = Logger;

interface Needs {
  level: LogLevel;
  /** Standard output by default. */
  stream?: DestinationStream;
}

/** No member that is named like a secret leaves through this log, in what is logged and in what a child carries. */
export function createLog({ level, stream = pino.destination({ fd: 1, sync: true }) }: Needs): Log {
  const withoutSecrets = createMasking(describeError);

  function maskMembers(members: Record<string, unknown>): Record<string, unknown> {
    if (members.req === undefined && members.res === undefined) return withoutSecrets(members);
    // Requests and responses are the server's own objects; their serializers pick the few members that are shown.
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
  // Formatters do not see what a child is given, and children inherit this method.
  const { child } = log;
  // Pino's overloads differ in the levels of the child, which ours does not change.
  log.child = function maskedChild(this: Log, bindings, options) {
    return child.call(this, maskMembers(bindings), options);
  } as Log['child'];
  return log;
}

/** The database's `detail` shows whole rows ("Failing row contains …"), so it never reaches the log. */
function describeError(error: Error): object {
  const { raw, detail, ...shown } = { detail: undefined, ...stdSerializers.err(error) };
  return shown;
}

function describeRequest(request: { method?: string; url?: string; ip?: string }): object {
  return { method: request.method, url: withoutQuerySecrets(request.url), ip: request.ip };
}

function describeResponse(response: { statusCode?: number }): object {
  return { status: response.statusCode };
}
