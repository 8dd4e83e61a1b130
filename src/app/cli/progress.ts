export interface Progress {
  show(text: string): void;
  /** The last line; stays. */
  finish(text: string): void;
}

const rewriteEveryMs = 200;
const lineEveryMs = 5_000;

/** How far a long command has come: one line rewritten in place on a terminal, a line now and then elsewhere. */
export function createProgress(
  stream: Pick<NodeJS.WriteStream, 'write'> & { readonly isTTY?: boolean } = process.stderr,
  now: () => number = () => performance.now(),
): Progress {
  const everyMs = stream.isTTY ? rewriteEveryMs : lineEveryMs;
  const write = (text: string) => stream.write(stream.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
  let shownAt = now();
  return {
    show(text) {
      if (now() - shownAt < everyMs) return;
      shownAt = now();
      write(text);
    },
    finish(text) {
      write(text);
      if (stream.isTTY) stream.write('\n');
    },
  };
}
