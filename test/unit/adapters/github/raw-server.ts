import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../../../support/listen.ts';

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
  return {
    host: `127.0.0.1:${await listen(server)}`,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
