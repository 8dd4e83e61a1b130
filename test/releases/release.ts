import { fileURLToPath } from 'node:url';
import { type Environment, type RunningServer, startServerProcess } from '../support/gatehouse-process.ts';

/** Known, so that any later version can open what the database holds. */
export const releaseSettings: Environment = {
  GATEHOUSE_SECRET_KEY: 'the key of the databases of released versions',
  GATEHOUSE_BOOTSTRAP_TOKEN: 'the-token-of-the-databases-of-released-versions',
  GATEHOUSE_BOOTSTRAP_PASSWORD: 'the password of the administrator',
};
export const releaseUser = { username: 'dana', password: 'a password from an older version' };

export const releaseFolder = fileURLToPath(new URL('./', import.meta.url));

export const startRelease = (env: Environment): Promise<RunningServer> =>
  startServerProcess({ ...releaseSettings, ...env });
