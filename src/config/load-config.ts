import process from 'node:process';
import { type EnvironmentReading, readEnvironment } from './environment.ts';
import { readKey } from './read-key.ts';

/** The only place that looks at the process's environment. */
export function loadConfig(): EnvironmentReading {
  return readEnvironment(process.env, readKey);
}
