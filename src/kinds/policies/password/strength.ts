/** Only the start of longer texts is estimated, because the estimate takes superlinear time. */
const maxLength = 128;

/** Estimates how hard passwords are to guess, from 0 (trivial) to 4. Loads its dictionaries on first use. */
export function createStrength(): (password: string) => Promise<number> {
  let estimator: ReturnType<typeof load> | null = null;
  return async (password) => {
    estimator ??= load();
    return (await estimator).check(password.slice(0, maxLength)).score;
  };
}

async function load() {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
}
