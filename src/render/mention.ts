/**
 * The one kind of mention that the App ever writes: of whoever asked for something, where only a person can go on. A
 * login holds nothing else than these characters, and no underscore at its ends.
 */
export function mention(login: string): string {
  const plain = login.replace(/[^A-Za-z0-9_-]/g, '').slice(0, 100);
  return `@${plain.replace(/^_+|_+$/g, '')}`;
}
