import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** A server on 127.0.0.1 with scripted responses, including broken ones. */
export type RawServer = {
  readonly host: string;
  /** Method and path of each request, oldest first. */
  readonly requests: readonly string[];
  readonly close: () => Promise<void>;
};

export async function startRawServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<RawServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    requests.push(`${String(request.method)} ${String(request.url)}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    host: `127.0.0.1:${address.port}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
