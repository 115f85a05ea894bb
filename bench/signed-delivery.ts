import { createHmac, randomUUID } from 'node:crypto';
import { type Agent, request } from 'node:http';
import { issueComment } from '../test/command/payloads.ts';

const SIZE = 20_000;

/** A delivery of 20 kB as GitHub sends it; `id` is the one in its header. */
export type SignedDelivery = {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

let comments = 0;

/** A command on pull request `number`, in a comment that no other delivery of this process is about. */
export function signedDelivery(secret: string, number: number): SignedDelivery {
  comments += 1;
  const payload = issueComment('/approve all', {
    id: comments,
    node_id: `IC_${comments}`,
    note: 'x'.repeat(SIZE - 900),
  });
  const issue = { id: 3000 + number, number, title: 'Totals', pull_request: { url: 'https://github.example/pull' } };
  const body = Buffer.from(JSON.stringify({ ...payload, issue }));
  const [id, signature] = [randomUUID(), createHmac('sha256', secret).update(body).digest('hex')];
  const headers = {
    'content-type': 'application/json',
    'content-length': String(body.length),
    'x-github-event': 'issue_comment',
    'x-github-delivery': id,
    'x-hub-signature-256': `sha256=${signature}`,
  };
  return { id, headers, body };
}

/** Sends it to the App at `url`; resolves with the answer's status, and rejects where there is none. */
export function deliver(agent: Agent, url: string, { headers, body }: SignedDelivery): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const asked = request(`${url}/api/github/webhooks`, { agent, method: 'POST', headers }, (response) => {
    response.resume();
    response.on('end', () => resolve(response.statusCode ?? 0));
  });
  asked.on('error', reject);
  asked.end(body);
  return promise;
}
