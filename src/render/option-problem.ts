/** What Node says is wrong with a command's options, in one sentence: it goes on to explain how to pass what looks like one. */
export function optionProblem(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  return `${words.split(/\. |\n/)[0]?.replace(/\.$/, '') ?? words}.`;
}
