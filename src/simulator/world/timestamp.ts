/** A time in milliseconds as GitHub writes it: UTC, whole seconds. */
export function timestamp(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`;
}

/** The seconds git writes for a time in milliseconds. */
export function secondsOf(now: number): number {
  return Math.floor(now / 1000);
}
