import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { listen } from '../support/listen.ts';

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
  return {
    host: `127.0.0.1:${await listen(server)}`,
    asked,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export const SECRET = 'b2f1c09d7e6a4835';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** All that a server on this GitHub needs but its DATA_DIR; its model does not answer. */
export function serverVariables(github: SmallGitHub): Readonly<Record<string, string>> {
  return {
    ...{
      APP_ID: '7',
      PRIVATE_KEY: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
      WEBHOOK_SECRET: SECRET,
    },
    ...{ OPENAI_MODEL: 'some-model', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' },
    ...{ GHE_HOST: github.host, GHE_PROTOCOL: 'http', HOST: '127.0.0.1', PORT: '0' },
  };
}
