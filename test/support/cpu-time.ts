/**
 * CPU seconds that the process spends on some work, to find quadratic time on a busy machine too. Bounds are many times
 * the normal time, and far below a quadratic one.
 */
export function cpuSeconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** CPU seconds of this thread alone, without those of the threads that it waits for: the time that blocks its event loop. */
export async function threadCpuSeconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1e6;
}
