/** Model responses of a task that call `read_file`. One more response ends the task. */
export const READ_TURNS = 4;

/** Each turn is two hops: a request to the model, then its tool call. */
export const HOPS_PER_CHAIN = READ_TURNS * 2;

/** The task that starts a chain of hops. */
export const READ_TASK = 'read it again and again';

/** Model responses since the last message of a user. */
export function countTurns(messages: readonly { readonly role: string }[]): number {
  const start = messages.findLastIndex(({ role }) => role === 'user');
  return messages.slice(start).filter(({ role }) => role === 'assistant').length;
}
