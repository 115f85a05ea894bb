import { strict as assert } from 'node:assert';
import { createHmac } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { createWebhookHandler } from '../../src/adapters/http/webhook-endpoint.ts';
import { explainDelivery } from '../../src/cli/explain/explanation.ts';
import { parseDelivery } from '../../src/cli/explain/read-delivery.ts';
import { formatExplanation } from '../../src/cli/explain/text.ts';
import { COMMAND_GRAMMAR } from '../../src/core/commands/all-commands.ts';
import { parseComment } from '../../src/core/comments/parse-comment.ts';
import type { Intent } from '../../src/core/state/intent.ts';
import { contentKey, interpret } from '../../src/core/webhooks/interpret.ts';
import { isRecord } from '../../src/lib/trust.ts';
import { SILENT_LOG } from '../shared/silent.ts';
import { jsonOf } from './mutate.ts';

const APP = { appId: 1, botId: 2, slug: 'countersign' };

/** Control characters that a terminal would obey. Line breaks and tabs are harmless. */
const TERMINAL_CONTROLS = /(?![\t\n\r])\p{Cc}/u;

/** A body names the ids of its intent, only a person's words count, and the explanation cannot control a terminal. */
export function checkDelivery(text: string, read: typeof interpret = interpret): void {
  const delivery = parseDelivery(text, null);
  if (delivery.kind === 'refused') {
    assert.doesNotMatch(delivery.problem, TERMINAL_CONTROLS);
    return;
  }
  const { event, payload } = delivery.value;
  const interpretation = read({ event, payload, app: APP });
  JSON.stringify(interpretation);
  if (interpretation.kind === 'intent') checkOrigin(interpretation.intent, event, payload);
  if (interpretation.kind === 'installation-event')
    assert.equal(interpretation.installationEvent.installationId, memberOf(payload, 'installation', 'id'));
  checkApprovals(payload, read);
  assert.doesNotMatch(formatExplanation(explainDelivery(delivery.value, APP)), TERMINAL_CONTROLS);
}

/** Intents that decide or ask for something. All others tell what any account did. */
const INTENTS_OF_PEOPLE: ReadonlySet<Intent['kind']> = new Set(['comment', 'edited', 'deleted', 'thread', 'dismissed']);

function checkOrigin(intent: Intent, event: string, payload: unknown): void {
  const { pull, actor } = intent;
  const subject = event === 'issue_comment' ? 'issue' : 'pull_request';
  assert.deepEqual(
    [pull.installationId, pull.repositoryId, pull.number, actor.id, actor.login],
    [
      memberOf(payload, 'installation', 'id'),
      memberOf(payload, 'repository', 'id'),
      memberOf(payload, subject, 'number'),
      memberOf(payload, 'sender', 'id'),
      memberOf(payload, 'sender', 'login'),
    ],
  );
  for (const id of [pull.installationId, pull.repositoryId, pull.number, actor.id])
    assert.ok(Number.isSafeInteger(id) && id > 0, `not an id: ${id}`);
  if (INTENTS_OF_PEOPLE.has(intent.kind)) assert.equal(memberOf(payload, 'sender', 'type'), 'User');
  const content = event === 'pull_request_review' ? 'review' : 'comment';
  if (intent.kind === 'edited' || intent.kind === 'deleted')
    assert.notEqual(memberOf(payload, content, 'user', 'type'), 'Bot');
  if (intent.kind !== 'comment') return;
  assert.equal(memberOf(payload, content, 'user', 'id'), actor.id);
  assert.equal(memberOf(payload, content, 'user', 'type'), 'User');
  assert.equal(contentKey(intent)?.split(':')[1], String(memberOf(payload, content, 'id')));
}

const ANA = { id: 11, login: 'ana', type: 'User' };

const BEN = { id: 12, login: 'ben', type: 'User' };

const ROBOT = { id: 13, login: 'ci[bot]', type: 'Bot' };

/** Who sends the webhook of an approval, who wrote it and through which App, and the only intent that it can have. */
const APPROVALS = [
  { action: 'created', sender: ANA, user: ANA, app: null, intent: 'comment' },
  { action: 'created', sender: ROBOT, user: ROBOT, app: null, intent: null },
  { action: 'created', sender: ROBOT, user: ANA, app: null, intent: null },
  { action: 'created', sender: ANA, user: ROBOT, app: null, intent: null },
  { action: 'created', sender: ANA, user: { ...ANA, type: 'Bot' }, app: null, intent: null },
  { action: 'created', sender: BEN, user: ANA, app: null, intent: null },
  { action: 'created', sender: ANA, user: ANA, app: { id: 5 }, intent: null },
  { action: 'edited', sender: BEN, user: ANA, app: null, intent: 'edited' },
  { action: 'edited', sender: ANA, user: ROBOT, app: null, intent: null },
  { action: 'edited', sender: ROBOT, user: ANA, app: null, intent: null },
  { action: 'deleted', sender: BEN, user: ANA, app: null, intent: 'deleted' },
  { action: 'deleted', sender: ANA, user: ROBOT, app: null, intent: null },
];

/** An approval among any other members decides for the person who wrote it on this pull request, and for nobody else. */
function checkApprovals(others: unknown, read: typeof interpret): void {
  for (const { action, sender, user, app, intent: expected } of APPROVALS) {
    const payload = {
      ...(isRecord(others) ? others : {}),
      ...{ action, sender, installation: { id: 101 }, issue: { number: 103, pull_request: {} } },
      repository: { id: 102, name: 'shop', owner: { login: 'acme' } },
      comment: {
        ...{ id: 104, user, body: '/approve k7q2', created_at: '2026-01-01T00:00:00Z' },
        performed_via_github_app: app,
      },
    };
    const interpretation = read({ event: 'issue_comment', payload, app: APP });
    const intent = interpretation.kind === 'intent' ? interpretation.intent : null;
    const what = `an approval by the ${user.type} ${user.login}, ${action} by ${sender.login}`;
    assert.equal(intent?.kind ?? null, expected, what);
    if (intent === null) continue;
    checkOrigin(intent, 'issue_comment', payload);
    if (intent.kind !== 'deleted') assert.deepEqual(memberOf(intent, 'parsed', 'command', 'targets', 'ids'), ['k7q2']);
  }
}

function memberOf(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((parent, key) => (isRecord(parent) ? parent[key] : undefined), value);
}

const SECRET = 'it is a secret';

/** The signatures of a request, and whether they fit. */
const SIGNATURES: readonly { readonly sign: (body: Buffer) => string; readonly fits: boolean }[] = [
  { sign: (body) => hmac(SECRET, body), fits: true },
  { sign: (body) => hmac('another secret', body), fits: false },
  { sign: (body) => hmac(SECRET, Buffer.concat([body, Buffer.from(' ')])), fits: false },
  { sign: (body) => hmac(SECRET, body).slice(0, -1), fits: false },
];

function hmac(secret: string, body: Buffer): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** A signed body arrives once and as it is if it is a JSON object, and a body with any other signature never. */
export async function checkSignedBody(body: Buffer, create: typeof createWebhookHandler = createWebhookHandler) {
  const text = body.toString('utf8');
  const value = Buffer.from(text).equals(body) ? jsonOf(text) : undefined;
  const isPayload = isRecord(value) && ['undefined', 'string'].includes(typeof value['action']);
  for (const { sign, fits } of SIGNATURES) {
    const delivered: unknown[] = [];
    const handle = create({
      secrets: ['an older secret', SECRET],
      deliver: async ({ payload }) => void delivered.push(payload),
      log: SILENT_LOG,
      logRefusal() {},
    });
    const { status } = await handle(requestOf(body, sign(body)), () => {});
    const expected = !fits ? 401 : isPayload ? 202 : 400;
    assert.equal(status, expected);
    assert.deepEqual(delivered, expected === 202 ? [value] : []);
  }
}

function requestOf(body: Buffer, signature: string): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, {
    'content-type': 'application/json',
    'x-github-delivery': '7f1e',
    'x-github-event': 'issue_comment',
    'x-hub-signature-256': signature,
  });
  request.push(body);
  request.push(null);
  return request;
}

/** A comment names the ids that it decides on; quoted or in code it is never a command, and below one it hides none. */
export function checkComment(body: string, read: typeof parseComment = parseComment): void {
  const { parsed } = read(COMMAND_GRAMMAR, body, APP.slug);
  if (parsed.kind === 'command' && 'targets' in parsed.command && parsed.command.targets.by === 'ids')
    for (const id of parsed.command.targets.ids) assert.ok(body.toLowerCase().includes(id), `it does not name ${id}`);
  const lines = body.split(/\r\n|\n|\r/);
  const quoted = lines.map((line) => `> ${line}`).join('\n');
  const fence = '`'.repeat(1 + Math.max(2, ...[...body.matchAll(/`+/g)].map(([run]) => run.length)));
  assert.notEqual(kindOf(quoted), 'command', 'quoted, it is a command');
  assert.notEqual(kindOf(`${fence}\n${lines.join('\n')}\n${fence}`), 'command', 'in a code block, it is a command');
  assert.equal(kindOf(`/stop\n\n${quoted}`), 'command', 'above it, a command is none');

  function kindOf(text: string): string {
    return read(COMMAND_GRAMMAR, text, APP.slug).parsed.kind;
  }
}
