import { createServer } from 'node:http';

export type SmallGitHub = { readonly host: string; readonly asked: readonly string[]; close(): void };

/** A GitHub that only returns the App's identity; it records other requests and answers them with 500. */
export async function startSmallGitHub(status = 200): Promise<SmallGitHub> {
  const asked: string[] = [];
  const answers: Readonly<Record<string, object>> = {
    '/api/v3/app': { id: 7, slug: 'countersign', owner: { login: 'acme', id: 1 } },
    '/api/v3/users/countersign%5Bbot%5D': { id: 99, login: 'countersign[bot]' },
  };
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ''];
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(answer === undefined ? 500 : status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { message: 'unknown here' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    host: `127.0.0.1:${port}`,
    asked,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
