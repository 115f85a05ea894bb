import process from 'node:process';
import { type Environment, type EnvironmentReading, readEnvironment } from './environment.ts';
import { readKey } from './read-key.ts';

/**
 * The only place that looks at the process's environment. `chosen` goes before what stands there;
 * an empty value of it counts as unset, so that nothing of the operator's slips into a demonstration.
 */
export function loadConfig(chosen: Environment = {}): EnvironmentReading {
  return readEnvironment({ ...process.env, ...chosen }, readKey);
}
