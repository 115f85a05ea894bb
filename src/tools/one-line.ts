/** A path as one line of a result: git takes newlines in names. */
export function oneLine(path: string): string {
  return /\p{Cc}/u.test(path) ? JSON.stringify(path) : path;
}
