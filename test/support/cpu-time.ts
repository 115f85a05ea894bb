/**
 * CPU seconds that the process spends on some work. What runs away is known by them on a busy machine too, where the
 * clock on the wall says little: bounds on them are many times what the work takes, and far below what it would take
 * if it grew with the square of its input.
 */
export function cpuSeconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
