/** The result of some work, or a timeout error. Zero: no limit. */
export async function withinSeconds<T>(seconds: number, work: Promise<T>): Promise<T> {
  if (seconds === 0) return work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    // A longer delay overflows the timer, which would then fire at once.
    const milliseconds = Math.min(seconds * 1000, 2147483647);
    timer = setTimeout(() => reject(new Error(`The policy has not answered within ${seconds} seconds.`)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
