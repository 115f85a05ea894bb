import process from 'node:process';
import { vi } from 'vitest';
import type { Ended } from '../cli/process.ts';

/** Runs a command in this process, which costs a fraction of one of its own. */
export async function runHere(
  command: () => Promise<number>,
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      written[name] += String(chunk);
      return true;
    }),
  );
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  try {
    return { code: await command(), ...written };
  } finally {
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
  }
}
