/** Longer texts are estimated by their beginning: the time it takes grows faster than they do. */
const maxLength = 128;

/** Estimates how hard passwords are to guess, from 0 (at once) to 4. Its lists of words are loaded when first needed. */
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
