/** Whether a JSON value has containers within containers beyond this depth. Writing a very deep one would fail. */
export function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((member) => isDeeperThan(member, depth - 1));
}
