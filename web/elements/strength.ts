import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common';

// Hundreds of kilobytes of words: loaded once somebody types a new password.
const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });

export const strengthOf = (password: string): number => estimator.check(password).score;
