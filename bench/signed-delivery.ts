import { createHmac, randomUUID } from 'node:crypto';
import { type Agent, request } from 'node:http';
import { issueComment, type Payload, reviewComment } from '../test/command/payloads.ts';

const SIZE = 20_000;
/** Where the App takes deliveries. */
export const WEBHOOKS = '/api/github/webhooks';

/** A delivery of 20 kB as GitHub sends it; `id` is the one in its header. */
export type SignedDelivery = {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

const NOTE = '"note":"';
const FILLER = Buffer.alloc(SIZE - 900, 'x');

let comments = 0;

/** A command on pull request `number`, in a comment that no other delivery of this process is about. */
export function signedCommand(secret: string, number: number): SignedDelivery {
  comments += 1;
  const payload = issueComment('/approve all', filled());
  const issue = { id: 3000 + number, number, title: 'Totals', pull_request: { url: 'https://github.example/pull' } };
  return signed(secret, 'issue_comment', { ...payload, issue });
}

/** An answer to somebody else in a thread of pull request `number`: stored, and then found to be none of ours. */
export function signedReply(secret: string, number: number): SignedDelivery {
  comments += 1;
  const over = { pull_request: { id: 3000 + number, number, title: 'Totals' } };
  return signed(secret, 'pull_request_review_comment', reviewComment('I would rather not.', filled(), over));
}

function filled(): Payload {
  return { id: comments, node_id: `IC_${comments}`, note: '' };
}

/** What is told, with a long note where `filled` left it empty: to write that out anew each time costs more than all the rest. */
function bodyOf(payload: Payload): Buffer {
  const told = JSON.stringify(payload);
  const at = told.indexOf(NOTE) + NOTE.length;
  return Buffer.concat([Buffer.from(told.slice(0, at)), FILLER, Buffer.from(told.slice(at))]);
}

function signed(secret: string, event: string, payload: Payload): SignedDelivery {
  const body = bodyOf(payload);
  const [id, signature] = [randomUUID(), createHmac('sha256', secret).update(body).digest('hex')];
  const headers = {
    'content-type': 'application/json',
    'content-length': String(body.length),
    'x-github-event': event,
    'x-github-delivery': id,
    'x-hub-signature-256': `sha256=${signature}`,
  };
  return { id, headers, body };
}

/** Sends it to the App at `url`; resolves with the answer's status, and rejects where there is none. */
export function deliver(agent: Agent, url: string, { headers, body }: SignedDelivery): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const asked = request(`${url}${WEBHOOKS}`, { agent, method: 'POST', headers }, (response) => {
    response.resume();
    response.on('end', () => resolve(response.statusCode ?? 0));
  });
  asked.on('error', reject);
  asked.end(body);
  return promise;
}
