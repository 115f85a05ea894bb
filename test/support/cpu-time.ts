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
