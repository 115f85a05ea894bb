import process from 'node:process';
import {
  type DatabaseReading,
  type Environment,
  type EnvironmentReading,
  readDatabase,
  readEnvironment,
} from './environment.ts';
import { readKey } from './read-key.ts';

/**
 * The only place that looks at the process's environment. `chosen` goes before what stands there;
 * an empty value of it counts as unset, so that nothing of the operator's slips into a demonstration.
 */
export function loadConfig(chosen: Environment = {}): EnvironmentReading {
  return readEnvironment({ ...process.env, ...chosen }, readKey);
}

/** The database alone, for commands that only read it. */
export function loadDatabase(): DatabaseReading {
  return readDatabase(process.env);
}
