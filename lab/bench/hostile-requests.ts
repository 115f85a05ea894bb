import { createHmac } from 'node:crypto';
import { issueComment, reviewComment } from '../../test/unit/core/webhooks/payloads.ts';
import type { Random } from '../simulation/world/random.ts';

/** A request as bytes. `isComplete` is false if the server has to wait for more, so the client hangs up. */
export type HostileRequest = { readonly bytes: Buffer; readonly isComplete: boolean };

type RequestKind = (random: Random, secret: string) => HostileRequest;

const WEBHOOK_PATH = '/api/github/webhooks';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'FROBNICATE', 'get'];

const PATHS = [
  WEBHOOK_PATH,
  `${WEBHOOK_PATH}/../..`,
  '/',
  '/healthz',
  '/readyz',
  '/metrics',
  '//',
  '*',
  '/%00',
  '/%zz',
];

const EVENTS = ['issue_comment', 'pull_request_review', 'pull_request', 'installation', 'ping', '__proto__', ''];

const VALUES: readonly unknown[] = [null, '', -1, 1e308, true, [], {}, 'x'.repeat(70_000), { constructor: null }];

/** A seeded stream of malformed, forged and nonsensical requests. */
export function createHostileRequest(random: Random, secret: string): HostileRequest {
  return random.pick(REQUEST_KINDS)(random, secret);
}

const REQUEST_KINDS: readonly RequestKind[] = [
  (random) => ({ bytes: randomBytes(random, 2_000), isComplete: false }),
  (random) => complete(random.pick(METHODS), random.pick(PATHS), randomHeaders(random), randomBytes(random, 500)),
  (random) => complete('POST', WEBHOOK_PATH, deliveryHeaders(random), randomBytes(random, 5_000)),
  (random) => complete('POST', WEBHOOK_PATH, deliveryHeaders(random), Buffer.alloc(random.integer(200_000), 97)),
  (random, secret) => signed(random, secret, randomBytes(random, 2_000)),
  (random, secret) => signed(random, secret, Buffer.from(JSON.stringify(random.pick(VALUES)) ?? '')),
  (random, secret) => signed(random, secret, Buffer.from(JSON.stringify(damagedPayload(random)))),
  (random, secret) => signed(random, secret, Buffer.from(`${'['.repeat(random.integer(50_000))}`)),
  wrongLength,
  brokenChunks,
  (random) => complete('POST', WEBHOOK_PATH, [`x-long: ${'y'.repeat(random.integer(60_000))}`], Buffer.alloc(0)),
  (random) =>
    complete(
      'POST',
      WEBHOOK_PATH,
      Array.from({ length: random.integer(3_000) }, (_, place) => `x-${place}: 1`),
      Buffer.alloc(0),
    ),
];

function complete(method: string, path: string, headers: readonly string[], body: Buffer): HostileRequest {
  const length = `content-length: ${body.length}`;
  const head = [`${method} ${path} HTTP/1.1`, 'host: app', 'connection: close', length, ...headers, '', ''];
  return { bytes: Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), body]), isComplete: true };
}

/** A delivery with a valid signature, such as an attacker who knows the secret could send. */
function signed(random: Random, secret: string, body: Buffer): HostileRequest {
  const signature = `x-hub-signature-256: sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const headers = deliveryHeaders(random).filter((header) => !header.startsWith('x-hub-signature'));
  return complete('POST', WEBHOOK_PATH, [...headers, signature], body);
}

function deliveryHeaders(random: Random): readonly string[] {
  const type = random.pick(['application/json', 'application/x-www-form-urlencoded', 'text/plain', ';;;']);
  return [
    `content-type: ${type}`,
    `x-github-event: ${random.pick(EVENTS)}`,
    `x-github-delivery: ${random.chance(0.8) ? `hostile-${random.integer(1e9)}` : ''}`,
    `x-hub-signature-256: ${random.pick(['', 'sha256=', `sha256=${'0'.repeat(64)}`, 'sha1=0', `sha256=${'é'.repeat(64)}`])}`,
  ];
}

function randomHeaders(random: Random): readonly string[] {
  return random
    .pick([
      ['expect: 100-continue'],
      ['upgrade: websocket', 'connection: upgrade'],
      ['transfer-encoding: identity, chunked, x'],
      ['content-encoding: gzip', 'content-type: application/json'],
      ['no colon at all'],
      [': no name'],
      ['cookie: a\u0001b'],
    ])
    .slice();
}

/** The announced length is longer or shorter than the body. */
function wrongLength(random: Random): HostileRequest {
  const announced = random.pick(['10', '200000000', '-1', '1e9', '99999999999999999999', '5, 6']);
  const head = `POST ${WEBHOOK_PATH} HTTP/1.1\r\nhost: app\r\ncontent-length: ${announced}\r\n\r\n`;
  return { bytes: Buffer.concat([Buffer.from(head), randomBytes(random, 300)]), isComplete: false };
}

function brokenChunks(random: Random): HostileRequest {
  const size = random.pick(['5', 'ffffffff', '-1', 'zz', '0', '']);
  const head = `POST ${WEBHOOK_PATH} HTTP/1.1\r\nhost: app\r\ntransfer-encoding: chunked\r\n\r\n${size}\r\n`;
  return { bytes: Buffer.concat([Buffer.from(head), randomBytes(random, 300)]), isComplete: false };
}

/** A real payload, in which some values have been replaced. */
function damagedPayload(random: Random): unknown {
  const damage = (value: unknown): unknown => {
    if (random.chance(0.03)) return random.pick(VALUES);
    if (Array.isArray(value)) return value.map(damage);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, damage(inner)]));
  };
  return damage(random.pick([issueComment, reviewComment])('/approve all'));
}

function randomBytes(random: Random, max: number): Buffer {
  return Buffer.from(Uint8Array.from({ length: random.integer(max) }, () => random.integer(256)));
}
