/** What is answered over HTTP. Bodies are constant: nothing about a cause ever leaks into one. */
export type Answer = { readonly status: number; readonly body: string; readonly type?: string };

export const ANSWERS = {
  accepted: { status: 202, body: 'accepted\n' },
  alive: { status: 200, body: 'alive\n' },
  ready: { status: 200, body: 'ready\n' },
  malformed: { status: 400, body: 'malformed request\n' },
  unsigned: { status: 401, body: 'signature missing or wrong\n' },
  notFound: { status: 404, body: 'not found\n' },
  tooLarge: { status: 413, body: 'body too large\n' },
  failed: { status: 500, body: 'failed\n' },
  unavailable: { status: 503, body: 'not available now\n' },
} as const satisfies Record<string, Answer>;
