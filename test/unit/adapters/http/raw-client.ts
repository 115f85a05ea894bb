import { createHmac } from 'node:crypto';
import { type IncomingHttpHeaders, request } from 'node:http';

type Reply = { readonly status: number; readonly body: string; readonly headers: IncomingHttpHeaders };

type Sending = {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
};

/** The headers of a delivery with this body, signed like GitHub's. */
export function signed(body: string | Uint8Array, secret: string, changes: Readonly<Record<string, string>> = {}) {
  return {
    'content-type': 'application/json',
    'x-github-event': 'issue_comment',
    'x-github-delivery': '00000000-0000-4000-8000-000000000000',
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    ...changes,
  };
}

/** Sends one request on its own connection and reads the response. */
export function send(port: number, sending: Sending): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const { method = 'POST', path = '/api/github/webhooks', headers = {}, body = '' } = sending;
  const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (incoming) => {
    const chunks: Uint8Array[] = [];
    incoming.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    incoming.on('end', () =>
      resolve({ status: incoming.statusCode ?? 0, body: Buffer.concat(chunks).toString(), headers: incoming.headers }),
    );
    incoming.on('error', reject);
  });
  outgoing.on('error', reject);
  outgoing.end(body);
  return promise;
}
