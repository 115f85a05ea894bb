/** Resolves after `ms`. A pending delay does not keep the process running. */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
